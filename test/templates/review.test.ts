import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefused, type Member } from '../support/sms.js';
import { openTemplates, type Templates } from '../support/templates.js';

const BASE = '/v6/api/admin/templates';
const MOVES = ['approve', 'reject', 'pause', 'resume', 'disable'] as const;
const WORDS = ['draft', 'approved', 'rejected', 'pending', 'paused', 'disabled'];
/** What becomes of each state by each move; null = refused (reference/templates#statuses). */
const LIFE: Record<(typeof MOVES)[number], (number | null)[]> = {
  approve: [null, null, null, 1, null, null],
  reject: [null, null, null, 2, null, null],
  pause: [null, 4, null, null, null, null],
  resume: [null, null, null, null, 1, null],
  disable: [5, 5, 5, 5, 5, null],
};

let templates: Templates;
let admin: Member;
let member: Member;

beforeAll(async () => {
  templates = await openTemplates();
  admin = await templates.join({ userType: 'admin' });
  member = await templates.join();
});
afterAll(() => templates.stop());

const move = (who: Member | null, id: unknown, name: string, body: unknown = {}) =>
  templates.send('POST', `${BASE}/${String(id)}/${name}`, who, body);
const list = (query: string, who: Member = admin) => templates.send('GET', BASE + query, who);
const setStatus = (id: number, status: number) =>
  templates.dataSource.query("UPDATE templates SET status = ?, reason = 'before' WHERE id = ?", [status, id]);
/** What the admin did with a template: its owner's changes are in the audit log too. */
const audit = async (id: number): Promise<Record<string, unknown>[]> => {
  const answer = await templates.send('GET', '/v6/api/admin/audit?limit=1000', admin);
  return (answer.body['data'] as Record<string, unknown>[]).filter(
    ({ action, subject, actor }) =>
      String(action).startsWith('template.') && subject === String(id) && actor === admin.account.username,
  );
};

describe('the revision that was looked at', () => {
  const CHANGED = 'Changed since you looked';
  const seen = async (id: number): Promise<Record<string, unknown> | undefined> => {
    const { body } = await list('?limit=1000');
    return (body['data'] as Record<string, unknown>[]).find((row) => row['id'] === id);
  };
  const rewrite = (id: number, body: string) =>
    templates.send('PUT', `/v6/api/templates/${id}`, member, { template_body: body });

  it.each(['approve', 'reject'])(
    '%s: what the owner changed between the look and the verdict is not checked',
    async (name) => {
      const id = await templates.created(member, { template_body: 'Harmless' });
      const looked = (await seen(id))?.['revision'];
      expect(looked).toBe(1);
      await rewrite(id, 'Something else');
      expectRefused(await move(admin, id, name, { revision: looked }), 409, CHANGED);
      expectRefused(await move(admin, id, name), 409, CHANGED);
      expectRefused(await move(admin, id, name, { revision: 3 }), 409, CHANGED);
      expect(await seen(id)).toMatchObject({ status: 3, revision: 2, template_body: 'Something else' });
      expect(await audit(id)).toEqual([]);
      expect((await move(admin, id, name, { revision: 2 })).body).toMatchObject({ data: { revision: 2 } });
    },
  );

  it('an owner who writes while staff approve: what is approved is what was looked at', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await templates.created(member, { template_body: 'Harmless' });
      const answers = await Promise.all([rewrite(id, 'Something else'), move(admin, id, 'approve', { revision: 1 })]);
      const row = await seen(id);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      expect([row?.['status'], row?.['template_body']]).toEqual(
        answers[1].status === 200 ? [1, 'Harmless'] : [3, 'Something else'],
      );
    }
  });

  it('may be named with every move, and is compared where it is', async () => {
    const id = await templates.created(member);
    await rewrite(id, 'Another');
    await move(admin, id, 'approve', { revision: 2 });
    expectRefused(await move(admin, id, 'pause', { revision: 1 }), 409, CHANGED);
    for (const name of ['pause', 'resume']) expect((await move(admin, id, name)).status).toBe(200);
    expect((await move(admin, id, 'disable', { revision: 2 })).status).toBe(200);
  });

  it.each([0, -1, 1.5, '1', true, {}, [], 1e300])('400 for %j', async (revision) => {
    const id = await templates.created(member);
    expectRefused(await move(admin, id, 'approve', { revision }), 400, 'revision must be a whole number from 1');
  });
});

describe('the moves', () => {
  it.each(MOVES)('%s, from every state', async (name) => {
    for (const [status, after] of LIFE[name].entries()) {
      const id = await templates.created(member);
      await setStatus(id, status);
      const answer = await move(admin, id, name, { reason: 'because' });
      if (after === null) {
        expectRefused(answer, 409, `Template is already ${WORDS[status] ?? ''}`);
        expect(await audit(id)).toEqual([]);
      } else {
        expect(answer.status).toBe(200);
        expect(answer.body).toMatchObject({ success: true, data: { id, status: after, reason: 'because' } });
        expect(await audit(id)).toMatchObject([
          { action: `template.${name}`, actor: admin.account.username, details: { from: status, to: after } },
        ]);
      }
    }
  });

  it('the controller row follows a verdict, and keeps it over a pause', async () => {
    const id = await templates.created(member);
    const said: unknown[] = [];
    for (const name of ['approve', 'pause', 'resume', 'disable']) {
      const answer = await move(admin, id, name);
      said.push((answer.body['data'] as Record<string, unknown>)['controller_status']);
    }
    expect(said).toEqual(['approved', 'approved', 'approved', 'approved']);
    const other = await templates.created(member);
    await move(admin, other, 'reject');
    expect(await templates.controller(other)).toEqual({ type: 'custom', controller_status: 'rejected' });
  });

  it('a reason is optional, replaced by the next move, and at most 500 characters', async () => {
    const id = await templates.created(member);
    const reasonOf = async (name: string, body: unknown) =>
      ((await move(admin, id, name, body)).body['data'] as Record<string, unknown>)['reason'];
    expectRefused(
      await move(admin, id, 'approve', { reason: '😀'.repeat(501) }),
      400,
      'reason must be at most 500 characters',
    );
    expectRefused(await move(admin, id, 'approve', { reason: {} }), 400, 'reason is invalid');
    expect(await reasonOf('approve', { reason: '😀'.repeat(500) })).toBe('😀'.repeat(500));
    expect(await reasonOf('pause', { reason: 7 })).toBe('7');
    expect(await reasonOf('resume', undefined)).toBeNull();
    expect(await reasonOf('pause', { reason: ' ' })).toBeNull();
  });

  it('a rejected template goes back to its owner and, changed, to staff', async () => {
    const id = await templates.created(member);
    await move(admin, id, 'reject', { reason: 'No sample' });
    expect((await templates.send('PUT', `/v6/api/templates/${id}`, member, { template_body: 'Better' })).status).toBe(
      200,
    );
    const { body } = await list('?status=pending&limit=1000');
    expect((body['data'] as { id: number }[]).find((row) => row.id === id)).toMatchObject({
      reason: null,
      controller_status: 'pending',
      template_body: 'Better',
    });
    expect((await move(admin, id, 'approve', { revision: 2 })).status).toBe(200);
  });

  it('20 approvals at once: one counts', async () => {
    const id = await templates.created(member);
    const answers = await Promise.all(Array.from({ length: 20 }, () => move(admin, id, 'approve')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectRefused(answer, 409, 'Template is already approved');
    }
    expect(await audit(id)).toHaveLength(1);
  });

  it('404 for no such template, 405, 401 and 403', async () => {
    const id = await templates.created(member);
    const reseller = await templates.join({ userType: 'reseller' });
    for (const name of MOVES) {
      for (const none of [0, 'x', '01', 99_999_999])
        expectRefused(await move(admin, none, name), 404, 'Template not found');
      expectRefused(await move(null, id, name), 401, 'Invalid Authorization token');
      for (const who of [member, reseller]) expectRefused(await move(who, id, name), 403, 'Forbidden');
      expectRefused(await templates.send('GET', `${BASE}/${id}/${name}`, admin), 405, 'Method not allowed');
    }
    for (const who of [member, reseller]) expectRefused(await list('', who), 403, 'Forbidden');
    expect(await templates.controller(id)).toEqual({ type: 'custom', controller_status: 'pending' });
  });
});

describe('the list', () => {
  it('all accounts, newest first, by state as word or number, in pages', async () => {
    const owners = [await templates.join(), await templates.join()];
    const ids: number[] = [];
    for (let count = 0; count < 4; count++) {
      const id = await templates.created(owners[count % 2] as Member, { template_body: `No ${count}` });
      await setStatus(id, 4);
      ids.unshift(id);
    }
    const idsOf = async (query: string) => ((await list(query)).body['data'] as { id: number }[]).map(({ id }) => id);
    for (const status of ['paused', '4', 'Paused', ' paused ']) {
      expect((await idsOf(`?status=${encodeURIComponent(status)}`)).filter((id) => ids.includes(id))).toEqual(ids);
    }
    const page = (await list('?status=paused&page=2&limit=2')).body;
    expect(page).toMatchObject({ success: true, page: 2, limit: 2, total: expect.any(Number) as number });
    expect(await idsOf('?status=paused&page=1&limit=2')).toEqual(ids.slice(0, 2));
    expect((await list('?limit=100000')).body['limit']).toBe(1_000);
    for (const status of ['x', '6', '-1', '1.0', 'pending,paused']) {
      expectRefused(await list(`?status=${status}`), 400, `status must be one of: ${WORDS.join(', ')}`);
    }
    expectRefused(await list('?status=1&status=2'), 400, `status must be one of: ${WORDS.join(', ')}`);
    expect((await list('?status=')).status).toBe(200);
  });

  it('shows staff what they need to check', async () => {
    const owner = await templates.join();
    const id = await templates.created(owner, {
      category: 'utility',
      language: 'fr',
      header_area_type: 'text',
      header_text: 'Hi {{1}}',
      body_examples: ['Jane'],
    });
    const { body } = await list('?status=3&limit=1000');
    const row = (body['data'] as { id: number }[]).find((one) => one.id === id);
    expect((await list(`/${id}`)).body).toEqual({ success: true, data: row });
    for (const none of [0, 'x', 99_999_999]) expectRefused(await list(`/${none}`), 404, 'Template not found');
    expectRefused(await list(`/${id}`, owner), 403, 'Forbidden');
    expect(row).toMatchObject({
      username: owner.account.username,
      language_code: 'fr',
      header_text: 'Hi {{1}}',
      header_example_url: null,
      body_examples: ['Jane'],
      reason: null,
      controller_type: 'customutility',
      controller_status: 'pending',
      upstream_id: null,
    });
  });
});
