import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/processes.js';
import { type Owner, openSubmissions, type Submissions } from '../support/submissions.js';

let submissions: Submissions;

beforeAll(async () => {
  submissions = await openSubmissions();
});
afterAll(() => submissions.stop());
afterEach(() => {
  submissions.upstream.set('pass');
  submissions.upstream.calls.length = 0;
});

describe('the review', () => {
  async function handedIn(fields: Record<string, unknown> = {}): Promise<{ owner: Owner; id: number; there: string }> {
    const owner = await submissions.join();
    const id = await submissions.created(owner, fields);
    await submissions.working();
    await submissions.told(owner);
    return { owner, id, there: String((await submissions.stored(id))?.upstream_id) };
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
      await submissions.upstream.review(there, word, reason);
      expect(await submissions.stored(id), word).toEqual({ status, reason: kept, upstream_id: there });
    }
    expect(await submissions.templates.controller(id)).toMatchObject({ controller_status: 'approved' });
  });

  it('moves the category: the next send pays from its balance, a campaign before keeps its price', async () => {
    const { owner, id, there } = await handedIn({
      template_name: 'moved',
      category: 'utility',
      template_body: 'Hello',
    });
    await submissions.upstream.review(there, 'APPROVED');
    const { chat } = submissions.templates;
    const balances = ['chat_utility_credits', 'chat_marketing_credits'] as const;
    await submissions.templates.dataSource.query(
      `INSERT INTO credit_balances (account_id, balance, available) VALUES ?
       ON DUPLICATE KEY UPDATE available = VALUES(available)`,
      [balances.map((balance) => [owner.account.id, balance, 5])],
    );
    const send = () =>
      chat.post(`/v6/api/chatTemplate/24/${owner.account.username}/messages`, owner, {
        messaging_product: 'chat',
        to: ['919812345678'],
        type: 'template',
        template: { name: 'moved', language: { code: 'en_US' } },
      });
    const before = await send();
    expect(before.body).toMatchObject({ success: true, category: 'utility' });
    const detail = async (): Promise<unknown> => {
      const path = `/v6/api/campaigns/${String(before.body['request_id'])}`;
      return ((await submissions.templates.send('GET', path, owner)).body['data'] as Record<string, unknown>)[
        'price_note'
      ];
    };
    expect(await detail()).toBeNull();
    await submissions.upstream.recategorise(there, { new_category: 'UTILITY', correct_category: 'MARKETING' });
    const shown = async () =>
      (await submissions.templates.send('GET', `/v6/api/templates/${id}`, owner)).body['data'] as Record<
        string,
        unknown
      >;
    expect(await shown()).toMatchObject({ category: 2, previous_category: null, upcoming_category: 'marketing' });
    for (let time = 0; time < 2; time++) {
      await submissions.upstream.recategorise(there, { previous_category: 'UTILITY', new_category: 'MARKETING' });
      expect(await shown()).toMatchObject({ category: 1, previous_category: 'utility', upcoming_category: null });
    }
    expect((await shown())['category_changed_at']).toEqual(expect.any(String));
    expect(await submissions.templates.controller(id)).toMatchObject({ type: 'custom' });
    expect(await detail()).toContain('from utility to marketing');
    const after = await send();
    expect(after.body).toMatchObject({ success: true, category: 'marketing' });
    expect(await Promise.all(balances.map((balance) => chat.credits(owner, balance)))).toEqual([4, 4]);
    const entries = await submissions.templates.dataSource.query<{ details: string; actor: string }[]>(
      "SELECT actor, details FROM audit_log WHERE action = 'template.category' AND subject = ?",
      [String(id)],
    );
    expect(entries.map(({ actor, details }) => [actor, JSON.parse(details)])).toEqual([
      ['system', { template_name: 'moved', from: 'utility', to: 'marketing' }],
    ]);
    // the owner's own change ends the remark
    expect((await submissions.put(owner, id, { template_body: 'x' })).status).toBe(409);
  });

  it('a category that the provider chooses at the review counts too', async () => {
    const { id, there } = await handedIn({ template_name: 'chosen', category: 'utility' });
    await submissions.upstream.recategorise(there, { new_category: 'MARKETING', previous_category: 'UTILITY' }, false);
    await submissions.upstream.review(there, 'APPROVED');
    expect(await submissions.templates.controller(id)).toMatchObject({ type: 'custom' });
  });

  it('a rejection, then another content, then an approval', async () => {
    const { owner, id, there } = await handedIn({ template_name: 'second_try' });
    await submissions.upstream.review(there, 'REJECTED', 'INVALID_FORMAT');
    expect(await submissions.stored(id)).toMatchObject({ status: 2, reason: 'INVALID_FORMAT' });
    expect(await submissions.templates.controller(id)).toMatchObject({ controller_status: 'rejected' });
    expect((await submissions.put(owner, id, { template_body: 'Better' })).status).toBe(200);
    await submissions.told(owner);
    const [copy] = await submissions.upstream.templates(owner.wabaId);
    expect(copy).toMatchObject({ id: there, status: 'PENDING', components: [{ type: 'BODY', text: 'Better' }] });
    expect(submissions.creationsOf(owner)).toHaveLength(1);
    await submissions.upstream.review(there, 'APPROVED');
    expect(await submissions.stored(id)).toEqual({ status: 1, reason: null, upstream_id: there });
    expect(await submissions.templates.controller(id)).toMatchObject({ controller_status: 'approved' });
  });

  it('touches no template of another account, whatever its name', async () => {
    const { there } = await handedIn({ template_name: 'same_name' });
    const other = await handedIn({ template_name: 'same_name' });
    await submissions.upstream.review(there, 'APPROVED');
    expect(await submissions.stored(other.id)).toMatchObject({ status: 3 });
  });

  it('of an older content says nothing about the newer one, which follows when the upstream takes it', async () => {
    const { owner, id, there } = await handedIn();
    await submissions.put(owner, id, { template_body: 'Newer' });
    await submissions.tried(owner);
    await submissions.upstream.review(there, 'APPROVED');
    expect(await submissions.stored(id)).toMatchObject({ status: 3 });
    await submissions.hasten(owner);
    await submissions.told(owner);
    expect(await submissions.upstream.templates(owner.wabaId)).toMatchObject([
      { id: there, status: 'PENDING', components: [{ text: 'Newer' }] },
    ]);
    await submissions.upstream.review(there, 'APPROVED');
    expect(await submissions.stored(id)).toMatchObject({ status: 1 });
  });

  it('of an older content whose answer is still out does not approve the newer one either', async () => {
    const owner = await submissions.join();
    submissions.upstream.set('hold');
    const id = await submissions.created(owner);
    await submissions.working();
    await submissions.arrived(owner);
    await submissions.put(owner, id, { template_body: 'Newer' });
    const [copy] = await submissions.upstream.templates(owner.wabaId);
    await submissions.upstream.review(String(copy?.id), 'APPROVED');
    expect(await submissions.stored(id)).toEqual({ status: 3, reason: null, upstream_id: copy?.id });
    submissions.upstream.set('pass');
    await submissions.hasten(owner);
    await submissions.told(owner);
    expect(await submissions.stored(id)).toMatchObject({ status: 3 });
    expect(await submissions.upstream.templates(owner.wabaId)).toMatchObject([{ components: [{ text: 'Newer' }] }]);
  });

  it('the word of staff stays possible', async () => {
    const { id } = await handedIn();
    const admin = await submissions.templates.join({ userType: 'admin' });
    expect((await submissions.templates.send('POST', `/v6/api/admin/templates/${id}/approve`, admin, {})).status).toBe(
      200,
    );
    expect(await submissions.stored(id)).toMatchObject({ status: 1 });
  });
});

describe('what the owner takes back', () => {
  it('a deletion and a renaming remove the copy there', async () => {
    const owner = await submissions.join();
    const [gone, renamed] = [
      await submissions.created(owner, { template_name: 'gone' }),
      await submissions.created(owner, { template_name: 'old_name' }),
    ];
    await submissions.working();
    await submissions.told(owner);
    await submissions.remove(owner, gone);
    await submissions.put(owner, renamed, { template_name: 'new_name', language: 2 });
    await submissions.told(owner);
    expect((await submissions.upstream.templates(owner.wabaId)).map(({ name, language }) => [name, language])).toEqual([
      ['new_name', 'te'],
    ]);
  });

  it('a deleted name may be used again: the old copy goes first, and its review is not the new one’s', async () => {
    const owner = await submissions.join();
    const old = await submissions.created(owner, { template_name: 'again' });
    await submissions.working();
    await submissions.told(owner);
    const there = String((await submissions.stored(old))?.upstream_id);
    await submissions.stopWorkers();
    await submissions.remove(owner, old);
    const id = await submissions.created(owner, { template_name: 'again' });
    await submissions.upstream.review(there, 'APPROVED');
    expect(await submissions.stored(id)).toEqual({ status: 3, reason: null, upstream_id: null });
    await submissions.working();
    await until('both to be told', async () => {
      await submissions.hasten(owner);
      return (await submissions.waiting(owner)).length === 0;
    });
    const copies = await submissions.upstream.templates(owner.wabaId);
    expect(copies).toHaveLength(1);
    expect(copies[0]?.id).not.toBe(there);
    expect(await submissions.stored(id)).toEqual({ status: 3, reason: null, upstream_id: copies[0]?.id });
  });

  it('deleted while its creation is unanswered: it goes, other languages of the name stay', async () => {
    const owner = await submissions.join();
    const foreign = {
      name: 'shared',
      language: 'te',
      category: 'MARKETING',
      components: [{ type: 'BODY', text: 'Somebody else’s' }],
    };
    await submissions.upstream.plant(owner.wabaId, foreign);
    submissions.upstream.set('lose');
    const id = await submissions.created(owner, { template_name: 'shared' });
    await submissions.working();
    await submissions.tried(owner);
    expect(await submissions.upstream.templates(owner.wabaId)).toHaveLength(2);
    submissions.upstream.set('pass');
    expect((await submissions.remove(owner, id)).status).toBe(200);
    await submissions.hasten(owner);
    await submissions.told(owner);
    expect(await submissions.upstream.templates(owner.wabaId)).toMatchObject([{ name: 'shared', language: 'te' }]);
  });
});
