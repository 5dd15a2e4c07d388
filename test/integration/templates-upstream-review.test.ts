import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/processes.js';
import { type Owner, SubmissionDesk } from '../support/submission-desk.js';

let desk: SubmissionDesk;

beforeAll(async () => {
  desk = await SubmissionDesk.open();
});
afterAll(() => desk.stop());
afterEach(() => {
  desk.upstream.set('pass');
  desk.upstream.calls.length = 0;
});

describe('the review', () => {
  async function handedIn(fields: Record<string, unknown> = {}): Promise<{ owner: Owner; id: number; there: string }> {
    const owner = await desk.join();
    const id = await desk.created(owner, fields);
    await desk.working();
    await desk.told(owner);
    return { owner, id, there: String((await desk.stored(id))?.upstream_id) };
  }

  it('moves the template, with the reason; repeats and late words are harmless', async () => {
    const { id, there } = await handedIn();
    const steps: [string, string | undefined, number, string | null][] = [
      ['PENDING', undefined, 3, null],
      ['APPROVED', undefined, 1, null],
      ['APPROVED', undefined, 1, null],
      ['REJECTED', 'late', 1, null],
      ['PAUSED', 'Low quality', 4, 'Low quality'],
      ['APPROVED', 'NONE', 1, null],
      ['DISABLED', 'Abuse', 5, 'Abuse'],
      ['APPROVED', undefined, 5, 'Abuse'],
    ];
    for (const [word, reason, status, kept] of steps) {
      await desk.upstream.review(there, word, reason);
      expect(await desk.stored(id), word).toEqual({ status, reason: kept, upstream_id: there });
    }
    expect(await desk.templates.controller(id)).toMatchObject({ controller_status: 'approved' });
  });

  it('a rejection, then another content, then an approval', async () => {
    const { owner, id, there } = await handedIn({ template_name: 'second_try' });
    await desk.upstream.review(there, 'REJECTED', 'INVALID_FORMAT');
    expect(await desk.stored(id)).toMatchObject({ status: 2, reason: 'INVALID_FORMAT' });
    expect(await desk.templates.controller(id)).toMatchObject({ controller_status: 'rejected' });
    expect((await desk.put(owner, id, { template_body: 'Better' })).status).toBe(200);
    await desk.told(owner);
    const [copy] = await desk.upstream.templates(owner.wabaId);
    expect(copy).toMatchObject({ id: there, status: 'PENDING', components: [{ type: 'BODY', text: 'Better' }] });
    expect(desk.creationsOf(owner)).toHaveLength(1);
    await desk.upstream.review(there, 'APPROVED');
    expect(await desk.stored(id)).toEqual({ status: 1, reason: null, upstream_id: there });
    expect(await desk.templates.controller(id)).toMatchObject({ controller_status: 'approved' });
  });

  it('touches no template of another account, whatever its name', async () => {
    const { there } = await handedIn({ template_name: 'same_name' });
    const other = await handedIn({ template_name: 'same_name' });
    await desk.upstream.review(there, 'APPROVED');
    expect(await desk.stored(other.id)).toMatchObject({ status: 3 });
  });

  it('of an older content says nothing about the newer one, which follows when the upstream takes it', async () => {
    const { owner, id, there } = await handedIn();
    await desk.put(owner, id, { template_body: 'Newer' });
    await desk.tried(owner);
    await desk.upstream.review(there, 'APPROVED');
    expect(await desk.stored(id)).toMatchObject({ status: 3 });
    await desk.hasten(owner);
    await desk.told(owner);
    expect(await desk.upstream.templates(owner.wabaId)).toMatchObject([
      { id: there, status: 'PENDING', components: [{ text: 'Newer' }] },
    ]);
    await desk.upstream.review(there, 'APPROVED');
    expect(await desk.stored(id)).toMatchObject({ status: 1 });
  });

  it('of an older content whose answer is still out does not approve the newer one either', async () => {
    const owner = await desk.join();
    desk.upstream.set('hold');
    const id = await desk.created(owner);
    await desk.working();
    await desk.arrived(owner);
    await desk.put(owner, id, { template_body: 'Newer' });
    const [copy] = await desk.upstream.templates(owner.wabaId);
    await desk.upstream.review(String(copy?.id), 'APPROVED');
    expect(await desk.stored(id)).toEqual({ status: 3, reason: null, upstream_id: copy?.id });
    desk.upstream.set('pass');
    await desk.hasten(owner);
    await desk.told(owner);
    expect(await desk.stored(id)).toMatchObject({ status: 3 });
    expect(await desk.upstream.templates(owner.wabaId)).toMatchObject([{ components: [{ text: 'Newer' }] }]);
  });

  it('the desk’s own word stays possible', async () => {
    const { id } = await handedIn();
    const admin = await desk.templates.join({ userType: 'admin' });
    expect((await desk.templates.send('POST', `/v6/api/admin/templates/${id}/approve`, admin, {})).status).toBe(200);
    expect(await desk.stored(id)).toMatchObject({ status: 1 });
  });
});

describe('what the owner takes back', () => {
  it('a deletion and a renaming remove the copy there', async () => {
    const owner = await desk.join();
    const [gone, renamed] = [
      await desk.created(owner, { template_name: 'gone' }),
      await desk.created(owner, { template_name: 'old_name' }),
    ];
    await desk.working();
    await desk.told(owner);
    await desk.remove(owner, gone);
    await desk.put(owner, renamed, { template_name: 'new_name', language: 2 });
    await desk.told(owner);
    expect((await desk.upstream.templates(owner.wabaId)).map(({ name, language }) => [name, language])).toEqual([
      ['new_name', 'te'],
    ]);
  });

  it('a deleted name may be used again: the old copy goes first, and its review is not the new one’s', async () => {
    const owner = await desk.join();
    const old = await desk.created(owner, { template_name: 'again' });
    await desk.working();
    await desk.told(owner);
    const there = String((await desk.stored(old))?.upstream_id);
    await desk.stopWorkers();
    await desk.remove(owner, old);
    const id = await desk.created(owner, { template_name: 'again' });
    await desk.upstream.review(there, 'APPROVED');
    expect(await desk.stored(id)).toEqual({ status: 3, reason: null, upstream_id: null });
    await desk.working();
    await until('both to be told', async () => {
      await desk.hasten(owner);
      return (await desk.waiting(owner)).length === 0;
    });
    const copies = await desk.upstream.templates(owner.wabaId);
    expect(copies).toHaveLength(1);
    expect(copies[0]?.id).not.toBe(there);
    expect(await desk.stored(id)).toEqual({ status: 3, reason: null, upstream_id: copies[0]?.id });
  });

  it('deleted while its creation is unanswered: it goes, other languages of the name stay', async () => {
    const owner = await desk.join();
    const foreign = {
      name: 'shared',
      language: 'te',
      category: 'MARKETING',
      components: [{ type: 'BODY', text: 'Somebody else’s' }],
    };
    await desk.upstream.plant(owner.wabaId, foreign);
    desk.upstream.set('lose');
    const id = await desk.created(owner, { template_name: 'shared' });
    await desk.working();
    await desk.tried(owner);
    expect(await desk.upstream.templates(owner.wabaId)).toHaveLength(2);
    desk.upstream.set('pass');
    expect((await desk.remove(owner, id)).status).toBe(200);
    await desk.hasten(owner);
    await desk.told(owner);
    expect(await desk.upstream.templates(owner.wabaId)).toMatchObject([{ name: 'shared', language: 'te' }]);
  });
});
