import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatNotices, MOST_KINDS, MOST_NOTICES } from '../../src/modules/providers/index.js';
import { type Chat, openChat } from '../support/chat.js';
import type { Member } from '../support/sms.js';

const SECRET = 'app-secret';
const NUMBER_ID = '106540352242922';
const WABA_ID = '102290129340398';

/** What the service does not act on is kept for staff (reference/providers#notices). */
describe('notices of the chat provider', () => {
  let chat: Chat;
  let staff: Member;
  let owner: Member;
  let routeId: number;

  beforeAll(async () => {
    chat = await openChat();
    staff = await chat.join(0, { userType: 'super' });
    owner = await chat.join(0);
    routeId = await chat.connect(owner, 'official', {
      url: `https://graph.example/v21.0/${NUMBER_ID}`,
      wabaId: WABA_ID,
      appSecret: SECRET,
    });
  });
  afterAll(() => chat.stop());

  async function report(field: string, value: Record<string, unknown>): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ entry: [{ id: WABA_ID, changes: [{ field, value }] }] });
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    const answer = await chat.request(`/provider/chat/${routeId}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    return answer.body;
  }

  const get = (path: string, member = staff) =>
    chat.request(path, { headers: { authorization: `Bearer ${member.token}` } });
  const listed = async (kind: string): Promise<Record<string, unknown>[]> =>
    (await get(`/v6/api/admin/chat-notices?kind=${kind}`)).body['data'] as Record<string, unknown>[];
  const counted = async (kind: string): Promise<unknown> => {
    const { data } = (await get('/v6/api/admin/chat-notices/counts')).body as {
      data: { kind: string; count: number }[];
    };
    return data.find((row) => row.kind === kind)?.count ?? 0;
  };
  const own = { metadata: { phone_number_id: NUMBER_ID } };

  it.each([
    ['phone_number_quality_update', 'phone_number_quality_update', { event: 'FLAGGED', current_limit: 'TIER_1K' }],
    ['account_review_update', 'account_review_update', { decision: 'REJECTED' }],
    ['account_update', 'account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } }],
    ['business_capability_update', 'business_capability_update', { max_daily_conversation_per_phone: 1000 }],
    ['message_template_quality_update', 'message_template_quality_update', { new_quality_score: 'RED' }],
    ['calls', 'calls', { ...own, calls: [{ id: 'wacid.1', event: 'connect' }] }],
    ['messages', 'messages.errors', { ...own, errors: [{ code: 130429, title: 'Rate limit hit' }] }],
    ['messages', 'messages.statuses', { ...own, statuses: [{ id: 'wamid.1', status: 'warned' }] }],
    ['messages', 'messages.messages', { ...own, messages: [{ type: 'edit', from: '919812345678' }] }],
    [
      'message_template_status_update',
      'message_template_status_update',
      { message_template_name: 'not_here', event: 'APPROVED' },
    ],
    [
      'template_category_update',
      'template_category_update',
      { message_template_name: 'not_here', new_category: 'MARKETING' },
    ],
    ['template_category_update', 'template_category_update', { message_template_name: 'no_word' }],
    ['a field/of no name', 'unnamed', { something: 1 }],
  ])('%s is stored as %s, once, and counted', async (field, kind, value) => {
    const before = await counted(kind);
    await report(field, value);
    await report(field, value);
    expect(await counted(kind)).toBe(Number(before) + 1);
    const [newest] = await listed(kind);
    const [[name, part]] = Object.entries(value).filter(([key]) => key !== 'metadata') as [[string, unknown]];
    expect(newest).toMatchObject({ username: owner.account.username, chat_account_id: routeId, kind });
    expect(String(newest?.['body'])).toContain(
      JSON.stringify(Array.isArray(part) ? part[0] : { [name]: part }).slice(1, -1),
    );
  });

  it('is bounded: 16 KB each, the newest of an account, the first of a callback', async () => {
    await report('history', { text: 'ä'.repeat(20_000) });
    const [long] = await listed('history');
    expect(long?.['bytes']).toBeGreaterThan(40_000);
    expect(Buffer.byteLength(String(long?.['body']))).toBeLessThanOrEqual(16 * 1024 + 3);
    const statuses = Array.from({ length: 600 }, (_, index) => ({ id: `wamid.${index}`, status: 'odd' }));
    await report('messages', { ...own, statuses });
    expect(Number(await counted('messages.statuses'))).toBeGreaterThanOrEqual(600);
    const rows = `INSERT INTO chat_notices (route_id, account_id, kind, digest, body, bytes, received_at) VALUES ?`;
    const many = Array.from({ length: MOST_NOTICES }, (_, index) => [
      routeId,
      owner.account.id,
      'many',
      Buffer.from(String(index).padStart(16, '0')),
      '{}',
      2,
      new Date(),
    ]);
    await chat.dataSource.query(rows, [many]);
    for (let time = 0; time < 3; time++) await report('history', { time });
    const [{ n }] = await chat.dataSource.query<[{ n: string }]>(
      'SELECT COUNT(*) AS n FROM chat_notices WHERE route_id = ?',
      [routeId],
    );
    expect(Number(n)).toBe(MOST_NOTICES);
  });

  it('the last of a kind is when a new one came, also of `other`', async () => {
    const account = { id: routeId, accountId: owner.account.id };
    const at = (day: number): Date => new Date(Date.UTC(2026, 0, day, 12));
    const keep = (kind: string, day: number, body: { day: number } = { day }): Promise<void> =>
      chat.part(ChatNotices).keep(account, [{ kind, body }], at(day));
    const last = async (kind: string): Promise<unknown> =>
      (await chat.part(ChatNotices).counts()).find((row) => row.kind === kind)?.lastAt;
    await keep('other', 3);
    await keep('dated', 4);
    await keep('dated', 5);
    await keep('dated', 6, { day: 5 });
    expect([await last('other'), await last('dated')]).toEqual([at(3), at(5)]);
  });

  it('concurrent repeats are one', async () => {
    const notice = { kind: 'twice', body: { same: true } };
    const account = { id: routeId, accountId: owner.account.id };
    await Promise.all(Array.from({ length: 8 }, () => chat.part(ChatNotices).keep(account, [notice], new Date())));
    expect(await listed('twice')).toHaveLength(1);
    expect(await counted('twice')).toBe(1);
  });

  it('is for staff only', async () => {
    for (const path of ['/v6/api/admin/chat-notices', '/v6/api/admin/chat-notices/counts'])
      expect((await get(path, owner)).status).toBe(403);
  });

  it('has a bounded number of kinds, also when callbacks come at once', async () => {
    const other = await chat.join(0);
    const id = await chat.connect(other, 'official', { wabaId: WABA_ID, appSecret: SECRET });
    const notices = chat.part(ChatNotices);
    const kinds = Array.from({ length: 2 * MOST_KINDS }, (_, index) => `invented_${index}`);
    const account = { id, accountId: other.account.id };
    const parts = [0, 1, 2, 3].map((part) => kinds.filter((_, index) => index % 4 === part));
    const keep = (part: readonly string[]): Promise<void> =>
      notices.keep(
        account,
        part.map((kind) => ({ kind, body: { kind } })),
        new Date(),
      );
    await Promise.all(parts.map(keep));
    await keep(kinds);
    const rows: { kind: string; count: string }[] = await chat.dataSource.query(
      'SELECT kind, count FROM chat_notice_counts WHERE route_id = ? ORDER BY kind',
      [id],
    );
    expect(rows).toHaveLength(MOST_KINDS);
    expect(rows.find(({ kind }) => kind === 'other')).toMatchObject({ count: kinds.length - MOST_KINDS + 1 });
    expect(rows.reduce((sum, row) => sum + Number(row.count), 0)).toBe(kinds.length);
  });
});
