import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefused, type Member } from '../support/sms.js';
import { openTemplates, type Templates } from '../support/templates.js';

const TOKEN = 'Invalid Authorization token';
const NOT_FOUND = 'Template not found';
const TAKEN = 'This template name is already exist';
/** States that are not the owner's any more, with the word of the refusal. */
const CLOSED: [number, string][] = [
  [1, 'approved'],
  [4, 'paused'],
  [5, 'disabled'],
];

let templates: Templates;
let member: Member;

beforeAll(async () => {
  templates = await openTemplates();
  member = await templates.join();
});
afterAll(() => templates.stop());

const put = (who: Member | null, id: unknown, body: unknown) =>
  templates.send('PUT', `/v6/api/templates/${String(id)}`, who, body);
const remove = (who: Member | null, id: unknown) => templates.send('DELETE', `/v6/api/templates/${String(id)}`, who);
const setStatus = (id: number, status: number) =>
  templates.dataSource.query("UPDATE templates SET status = ?, reason = 'a reason' WHERE id = ?", [status, id]);
const rowOf = async (id: number): Promise<Record<string, unknown> | undefined> => {
  const [row] = await templates.dataSource.query<Record<string, unknown>[]>(
    'SELECT status, reason, body FROM templates WHERE id = ?',
    [id],
  );
  return row && { ...row };
};

describe('reading own templates', () => {
  it('shows everything that was written, with the reason, newest first', async () => {
    const owner = await templates.join();
    const other = await templates.join();
    const first = await templates.created(owner, {
      header_area_type: 'text',
      header_text: 'Order {{1}}',
      template_body: 'Hello {{1}}',
      body_examples: ['Jane'],
      template_footer: 'Bye',
      quick_reply_buttons: [{ type: 'QUICK_REPLY', text: 'Stop' }],
    });
    const second = await templates.created(owner);
    await setStatus(first, 2);
    const list = await templates.send('GET', '/v6/api/templates?limit=1', owner);
    expect(list.body).toMatchObject({ success: true, data: [{ id: second }], page: 1, limit: 1, total: 2 });
    const cursor = String(list.body['next_cursor']);
    const next = await templates.send('GET', `/v6/api/templates?limit=1&cursor=${cursor}`, owner);
    const one = await templates.send('GET', `/v6/api/templates/${first}`, owner);
    expect(next.body['data']).toEqual([one.body['data']]);
    expect(one.body['data']).toEqual({
      id: first,
      username: owner.account.username,
      template_name: expect.any(String) as string,
      status: 2,
      category: 1,
      language: 1,
      header_area_type: 'text',
      header_media_type: '',
      template_body: 'Hello {{1}}',
      template_footer: 'Bye',
      quick_replies: '[{"type":"QUICK_REPLY","text":"Stop"}]',
      created_at: expect.any(String) as string,
      language_code: 'en_US',
      header_text: 'Order {{1}}',
      header_example_url: null,
      body_examples: ['Jane'],
      buttons: [],
      previous_category: null,
      category_changed_at: null,
      upcoming_category: null,
      reason: 'a reason',
    });
    expect((await templates.send('GET', '/v6/api/templates', other)).body).toMatchObject({ data: [], total: 0 });
    expectRefused(await templates.send('GET', `/v6/api/templates/${first}`, other), 404, NOT_FOUND);
    expectRefused(await templates.send('GET', '/v6/api/templates?cursor=x', owner), 400, 'cursor is invalid');
    expectRefused(await templates.send('GET', '/v6/api/templates', null), 401, TOKEN);
  });
});

describe('who may', () => {
  it('only the owner, by header or cookie; 405 before, 404 for what is not his', async () => {
    const id = await templates.created(member);
    const path = `/v6/api/templates/${id}`;
    for (const method of ['POST', 'PATCH']) {
      const answer = await templates.send(method, path, member);
      expectRefused(answer, 405, 'Method not allowed');
      expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, PUT');
    }
    const other = await templates.join();
    for (const call of [put(null, id, {}), remove(null, id)]) expectRefused(await call, 401, TOKEN);
    for (const call of [put(other, id, { category: 'x' }), remove(other, id)]) {
      expectRefused(await call, 404, NOT_FOUND);
    }
    for (const none of [id + 1_000, 0, -1, '01', '1e3', 'x', '99999999999', `${id}%20`, `${id}.0`]) {
      expectRefused(await put(member, none, {}), 404, NOT_FOUND);
      expectRefused(await remove(member, none), 404, NOT_FOUND);
    }
    const cookie = { cookie: `auth_token=${member.token}` };
    const answer = await templates.request(path, { method: 'DELETE', headers: cookie });
    expect([answer.status, answer.body]).toEqual([200, { success: true, message: 'Template deleted successfully' }]);
  });
});

describe('PUT', () => {
  it('changes what is given, keeps the rest, and puts it back to review', async () => {
    for (const status of [0, 2, 3]) {
      const id = await templates.created(member, {
        category: 'utility',
        language: 8,
        header_area_type: 'text',
        header_text: 'Hi {{1}}',
        template_footer: 'Bye',
        quick_reply_buttons: [{ type: 'QUICK_REPLY', text: 'Yes' }],
      });
      const [before] = (await templates.list(member.account.username)).filter((row) => row.id === id);
      await setStatus(id, status);
      await templates.dataSource.query(
        "UPDATE template_controllers SET controller_status = 'rejected' WHERE template_id = ?",
        [id],
      );
      const answer = await put(member, id, { template_body: 'New {{1}} {{2}}', category: 'auth', unknown: 1 });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        message: 'Template updated successfully',
        data: { ...before, status: 3, category: 3, template_body: 'New {{1}} {{2}}' },
        warnings: [expect.objectContaining({ code: 'unknown_field', field: 'unknown' })],
      });
      expect((await templates.list(member.account.username)).find((row) => row.id === id)).toEqual(answer.body['data']);
      expect(await templates.controller(id)).toEqual({ type: 'customauth', controller_status: 'pending' });
      expect(await rowOf(id)).toMatchObject({ status: 3, reason: null });
    }
  });

  it('an empty body changes nothing but the state', async () => {
    const id = await templates.created(member, { template_body: 'As it was' });
    await setStatus(id, 2);
    for (const body of [{}, undefined]) expect((await put(member, id, body)).status).toBe(200);
    expect(await rowOf(id)).toEqual({ status: 3, reason: null, body: 'As it was' });
  });

  it('null and empty texts clear what may be empty', async () => {
    const id = await templates.created(member, { template_footer: 'Bye', language: 8 });
    const answer = await put(member, id, { template_footer: null, template_body: '', language: null });
    expect(answer.body['data']).toMatchObject({ template_footer: '', template_body: '', language: 1 });
    expectRefused(await put(member, id, { template_name: null }), 400, 'template_name is required');
  });

  it.each(CLOSED)('409 in state %i, before the rows of the body', async (status, word) => {
    const id = await templates.created(member);
    await setStatus(id, status);
    expectRefused(await put(member, id, { category: 'x' }), 409, `Template is already ${word}`);
    expect(await rowOf(id)).toMatchObject({ status, reason: 'a reason' });
  });

  it('has the rows and limits of creation, the taken name last', async () => {
    const id = await templates.created(member);
    await templates.created(member, { template_name: 'occupied' });
    const rows: [Record<string, unknown>, number, string][] = [
      [{ template_name: '', category: 'x' }, 400, 'template_name is required'],
      [{ template_name: 'n'.repeat(513) }, 400, 'template_name must be at most 512 characters'],
      [{ category: 'x' }, 400, 'category must be marketing, utility, or auth'],
      [{ header_area_type: 'x' }, 400, 'header_area_type must be media, text, or none'],
      [
        { header_area_type: 'media' },
        400,
        'header_media_type must be Image, Document, or Video when header_area_type is media',
      ],
      [{ quick_reply_buttons: 'x' }, 400, 'quick_reply_buttons must be an array'],
      [
        { quick_reply_buttons: [{}] },
        400,
        'Each quick reply button must contain type=QUICK_REPLY and a non-empty text',
      ],
      [{ header_area_type: 'text', header_text: 'h'.repeat(61) }, 400, 'header_text must be at most 60 characters'],
      [{ template_body: 'b'.repeat(4097) }, 400, 'template_body must be at most 4096 characters'],
      [
        { template_name: 'occupied', template_body: 'b'.repeat(4097) },
        400,
        'template_body must be at most 4096 characters',
      ],
      [{ template_name: 'occupied' }, 409, TAKEN],
    ];
    for (const [body, status, message] of rows) expectRefused(await put(member, id, body), status, message);
    expect(await rowOf(id)).toMatchObject({ status: 3, body: 'Hello {{1}}' });
    const good = { template_name: 'n'.repeat(512), header_area_type: 'text', header_text: 'h'.repeat(60) };
    expect((await put(member, id, { ...good, template_body: 'b'.repeat(4096) })).status).toBe(200);
  });

  it('20 renamings to one name at once: one has it', async () => {
    const racer = await templates.join();
    const ids: number[] = [];
    for (let count = 0; count < 20; count++) ids.push(await templates.created(racer));
    const answers = await Promise.all(ids.map((id) => put(racer, id, { template_name: 'wanted' })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 409, TAKEN);
  });
});

describe('DELETE', () => {
  it('takes it away with its controller row; the name is free again', async () => {
    for (const status of [0, 2, 3]) {
      const template_name = `gone_${status}`;
      const id = await templates.created(member, { template_name });
      await setStatus(id, status);
      const answer = await remove(member, id);
      expect([answer.status, answer.body]).toEqual([200, { success: true, message: 'Template deleted successfully' }]);
      expect([await rowOf(id), await templates.controller(id)]).toEqual([undefined, undefined]);
      expectRefused(await remove(member, id), 404, NOT_FOUND);
      expect(await templates.created(member, { template_name })).not.toBe(id);
    }
  });

  it.each(CLOSED)('409 in state %i', async (status, word) => {
    const id = await templates.created(member);
    await setStatus(id, status);
    expectRefused(await remove(member, id), 409, `Template is already ${word}`);
    expect(await rowOf(id)).toMatchObject({ status });
  });

  it('a change and a deletion at once: one of them is told that it is gone', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await templates.created(member);
      const [changed, gone] = await Promise.all([put(member, id, { template_body: 'x' }), remove(member, id)]);
      expect(gone.status).toBe(200);
      expect([200, 404]).toContain(changed.status);
      expect(await rowOf(id)).toBeUndefined();
    }
  });
});
