import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { openTemplates, type Templates } from '../support/templates.js';

const AT_ONCE = 12;

let templates: Templates;
beforeAll(async () => {
  templates = await openTemplates({
    TEMPLATES_PER_ACCOUNT: 3,
    PROFILE_REQUESTS_PER_ACCOUNT: 3,
    API_KEYS_PER_ACCOUNT: 3,
    USERS_PER_ACCOUNT: 3,
    WEBHOOKS_PER_ACCOUNT: 3,
    SUPPRESSIONS_PER_ACCOUNT: 6,
    SENDER_IDS_PER_ACCOUNT: 3,
  });
});
afterAll(() => templates.stop());

interface Kind {
  path: string;
  body: (serial: number) => Record<string, unknown>;
  status: number;
  text: string;
}

const KINDS: Kind[] = [
  {
    path: '/v6/api/account/profile-request',
    body: (serial) => ({ verified_name: `Acme ${serial}` }),
    status: 400,
    text: 'At most 3 profile requests are allowed',
  },
  {
    path: '/v6/api/sender-ids',
    body: (serial) => ({ sender_id: `ACME${serial}`, channel: 'sms' }),
    status: 400,
    text: 'At most 3 sender ids are allowed',
  },
  { path: '/v6/api/account/api-keys', body: () => ({}), status: 409, text: 'At most 3 API keys are allowed' },
  {
    path: '/v6/api/account/users',
    body: (serial) => ({
      username: `person${serial}-${Date.now()}`,
      password: 'Person-1234!',
      firstname: 'A',
      lastname: 'B',
    }),
    status: 409,
    text: 'At most 3 users are allowed',
  },
  {
    path: '/v6/api/webhooks',
    body: () => ({ url: 'https://example.com/hook', events: ['gsm.status.update'] }),
    status: 409,
    text: 'At most 3 webhooks are allowed',
  },
];

describe.each(KINDS)('$path', ({ path, body, status, text }) => {
  it('lets in what the operator allows, however many come at once; a removed one makes room', async () => {
    const member = await templates.join();
    const make = (serial: number): Promise<Answer> => templates.send('POST', path, member, body(serial));
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, serial) => make(serial)));
    const made = answers.filter((answer) => answer.status === 201);
    expect(made).toHaveLength(3);
    for (const answer of answers.filter((one) => one.status !== 201)) expectRefused(answer, status, text);
    expectRefused(await make(AT_ONCE), status, text);
    const { id } = made[0]?.body['data'] as { id: number };
    expect((await templates.send('DELETE', `${path}/${id}`, member)).status).toBe(200);
    expect((await make(AT_ONCE + 1)).status).toBe(201);
    expectRefused(await make(AT_ONCE + 2), status, text);
  });
});

describe('templates', () => {
  it('as many as the operator allows, however many come at once, after the taken name; a removed one makes room', async () => {
    const FULL = 'At most 3 templates are allowed';
    const owner = await templates.join();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => templates.create(owner, templates.body())));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(AT_ONCE - 3);
    for (const answer of refused) expectRefused(answer, 400, FULL);
    const [first] = await templates.list(owner.account.username);
    const again = templates.body({ template_name: first?.template_name });
    expectRefused(await templates.create(owner, again), 409, 'This template name is already exist');
    expectRefused(await templates.create(owner, templates.body()), 400, FULL);
    await templates.send('DELETE', `/v6/api/templates/${String(first?.id)}`, owner);
    await templates.created(owner);
    expectRefused(await templates.create(owner, templates.body()), 400, FULL);
    await templates.created(await templates.join());
  });
});

describe('keywords', () => {
  it('are 200 of an account, however many come at once; a known word is replaced', async () => {
    const FULL = 'At most 200 keywords are allowed';
    const member = await templates.join();
    const put = (word: string): Promise<Answer> =>
      templates.send('PUT', '/v6/api/account/keywords', member, { word, action: 'event' });
    const [{ dataSource }, known] = [templates, 198];
    await dataSource.query(
      `INSERT INTO account_keywords (account_id, word, action, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT ?, CONCAT('W', i), 'event', UTC_TIMESTAMP(3) FROM n`,
      [known, member.account.id],
    );
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, serial) => put(`NEW${serial}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 400, FULL);
    expect((await put('W1')).status).toBe(200);
    expectRefused(await put('ONEMORE'), 400, FULL);
  });
});

describe('the stop list', () => {
  const PATH = '/v6/api/suppressions';
  const FULL = 'At most 6 suppressions are allowed';
  const numbers = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => String(4_915_100_000_000 + from + i));
  const add = (member: Member, list: string[]) => templates.send('POST', PATH, member, { numbers: list });
  const remove = (member: Member, list: string[]) => templates.send('DELETE', PATH, member, { numbers: list });
  const total = async (member: Member): Promise<unknown> => (await templates.send('GET', PATH, member)).body['total'];
  const load = (member: Member, list: string[]): Promise<Answer> =>
    templates.request(`${PATH}/import`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${member.token}` },
      body: list.join('\n'),
    });

  it('takes as many as the operator allows, all of a request or none', async () => {
    const member = await templates.join();
    expect((await add(member, numbers(0, 4))).status).toBe(200);
    expectRefused(await add(member, numbers(2, 5)), 400, FULL);
    expect(await total(member)).toBe(4);
    expect((await add(member, numbers(2, 4))).body).toMatchObject({ data: { added: 2, already: 2 } });
    expectRefused(await add(member, numbers(6, 1)), 400, FULL);
    expect((await add(member, numbers(0, 6))).body).toMatchObject({ data: { added: 0, already: 6 } });
    await remove(member, numbers(4, 5));
    expect((await add(member, numbers(6, 2))).status).toBe(200);
    expectRefused(await add(member, numbers(9, 1)), 400, FULL);
    expect(await total(member)).toBe(6);
  });

  it('of requests at once, overlapping ones too', async () => {
    const member = await templates.join();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => add(member, numbers(i, 2))));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectRefused(answer, 400, FULL);
    expect(await total(member)).toBeLessThanOrEqual(6);
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => remove(member, numbers(i, 2))));
    expect(await total(member)).toBe(0);
    expect((await add(member, numbers(0, 6))).status).toBe(200);
  });

  it('an import too, which keeps what came before the bound', async () => {
    const member = await templates.join();
    expect((await load(member, numbers(0, 6))).body).toMatchObject({ data: { added: 6 } });
    expectRefused(await load(member, numbers(3, 6)), 400, FULL);
    expect(await total(member)).toBe(6);
  });

  it('who wrote STOP stands there besides, and is not refused', async () => {
    const member = await templates.join();
    await add(member, numbers(0, 6));
    await templates.dataSource.query(
      `INSERT INTO suppressions (account_id, number, source, route_id, created_at)
       VALUES (?, '4915199999999', 'stop', 1, UTC_TIMESTAMP(3))`,
      [member.account.id],
    );
    expect(await total(member)).toBe(7);
    expectRefused(await add(member, numbers(6, 1)), 400, FULL);
    await remove(member, ['4915199999999']);
    expectRefused(await add(member, numbers(6, 1)), 400, FULL);
  });

  it('asks for its number without counting the list', async () => {
    const member = await templates.join();
    await add(member, numbers(0, 2));
    const [row] = await templates.dataSource.query<{ used: number }[]>(
      "SELECT used FROM account_quotas WHERE account_id = ? AND kind = 'suppressions'",
      [member.account.id],
    );
    expect(row?.used).toBe(2);
  });
});
