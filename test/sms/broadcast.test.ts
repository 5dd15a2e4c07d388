import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, expectRefused, type Member, openSms, type Sms } from '../support/sms.js';

const SCHEDULE = 'schedule_time is invalid';

const GOOD = { broadcast_name: 'Spring', brodcast_service: 'main', contacts: ['919812345678'], message: 'Hello' };

let sms: Sms;
let member: Member;

beforeAll(async () => {
  sms = await openSms();
  member = await sms.join();
});
afterAll(() => sms.stop());

const stored = (answer: Answer): Promise<Record<string, unknown>[]> =>
  sms.dataSource.query('SELECT * FROM campaigns WHERE request_id = ?', [answer.body['request_id']]);

const receivers = async (answer: Answer): Promise<string[]> => {
  const rows: { receiver: string }[] = await sms.dataSource.query(
    'SELECT r.receiver FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id WHERE c.request_id = ? ORDER BY r.seq',
    [answer.body['request_id']],
  );
  return rows.map((row) => row.receiver);
};

describe('an accepted broadcast', () => {
  it('answers exactly the six fields, charges and stores every contact', async () => {
    const sender = await sms.join(100);
    const contacts = ['+91 98123-45678', '919812345678', '123456789'];
    const answer = await sms.broadcast(sender, { ...GOOD, contacts, message: 'a'.repeat(161) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      request_id: expect.stringMatching(/^GSMCAMP_\d{8}_[A-Z0-9]{6}$/) as unknown,
      status: 'PP1',
      message: 'Success',
      url: '1',
      username: sender.account.username,
      Credits: 6,
    });
    expect(await sms.credits(sender)).toBe(94);
    expect(await receivers(answer)).toEqual(['919812345678', '919812345678', '123456789']);
  });

  it('takes the header, the cookie, or a username in the body', async () => {
    expect((await sms.broadcast(member, GOOD)).status).toBe(200);
    expect((await sms.broadcast(null, GOOD, { cookie: `auth_token=${member.token}` })).status).toBe(200);
    const named = await sms.broadcast(null, { ...GOOD, username: member.account.username });
    expect([named.status, named.body['username']]).toEqual([200, member.account.username]);
  });

  it('takes a form with comma-separated contacts', async () => {
    const form = new URLSearchParams({
      ...GOOD,
      contacts: '919812345678, 919812345679',
      username: member.account.username,
    });
    const answer = await sms.request('/webhook/api/addbroadcastgsm.php', { method: 'POST', body: form });
    expect([answer.status, answer.body['Credits']]).toEqual([200, 2]);
    expect(await receivers(answer)).toEqual(['919812345678', '919812345679']);
  });

  it('cuts a long name, takes numbers as text, and ignores unknown fields', async () => {
    const answer = await sms.broadcast(member, {
      ...GOOD,
      broadcast_name: '😀'.repeat(120),
      brodcast_service: 7,
      message: 0,
      contacts: [919812345678],
      surprise: { deep: true },
    });
    expect(answer.status).toBe(200);
    const [row] = await stored(answer);
    expect(row).toMatchObject({ broadcast_name: '😀'.repeat(100), service: '7', content: '{"message":"0"}' });
  });

  it('sends an unknown brodcast_service, and one of another channel, over the default route', async () => {
    const main = (await stored(await sms.broadcast(member, GOOD)))[0]?.['route_id'];
    const other = await sms.addRoute('second', false);
    await sms.addRoute('chat', true, 'unofficial');
    const routeOf = async (service: string) =>
      (await stored(await sms.broadcast(member, { ...GOOD, brodcast_service: service })))[0];
    expect(await routeOf('second')).toMatchObject({ route_id: other, service: 'second' });
    expect(await routeOf('nowhere')).toMatchObject({ route_id: main, service: 'nowhere' });
    expect(await routeOf('chat')).toMatchObject({ route_id: main, service: 'chat' });
    expect(await routeOf('s'.repeat(400))).toMatchObject({ route_id: main, service: 's'.repeat(255) });
  });

  it("keeps schedule_time, read in the account's zone", async () => {
    const indian = await sms.join(10, { timeZone: 'Asia/Kolkata' });
    const local = await sms.broadcast(indian, { ...GOOD, schedule_time: '2099-05-02 09:30:00' });
    expect((await stored(local))[0]?.['scheduled_at']).toEqual(new Date('2099-05-02T04:00:00Z'));
    const iso = await sms.broadcast(indian, { ...GOOD, schedule_time: '2099-05-02T09:30:00+02:00' });
    expect((await stored(iso))[0]?.['scheduled_at']).toEqual(new Date('2099-05-02T07:30:00Z'));
  });

  it('takes 30,000 contacts', async () => {
    const sender = await sms.join(30_000);
    const contacts = Array.from({ length: 30_000 }, (_, index) => String(919_800_000_000 + index));
    const answer = await sms.broadcast(sender, { ...GOOD, contacts });
    expect([answer.status, answer.body['Credits']]).toEqual([200, 30_000]);
    expect(await sms.credits(sender)).toBe(0);
    expect(await receivers(answer)).toEqual(contacts);
  });
});

describe('a caller-supplied id', () => {
  const body = { ...GOOD, contacts: ['919812345678', '919812345679'] };

  it('is the request id, and the same request again gets the first answer without a charge', async () => {
    const sender = await sms.join(2);
    const first = await sms.broadcast(sender, { ...body, providermessageid: `own.${sender.account.id}` });
    expect([first.status, first.body['request_id']]).toEqual([200, `own.${sender.account.id}`]);
    expect(await sms.credits(sender)).toBe(0);
    const again = await sms.broadcast(sender, {
      ...body,
      contacts: ['+919812345678', '91 9812345679'],
      providerMessageId: `own.${sender.account.id}`,
    });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await sms.credits(sender)).toBe(0);
  });

  it('conflicts when anything of the request differs, or the account', async () => {
    const sender = await sms.join(100);
    const providermessageid = `once.${sender.account.id}`;
    expect((await sms.broadcast(sender, { ...body, providermessageid })).status).toBe(200);
    const others = [
      { broadcast_name: 'Autumn' },
      { brodcast_service: 'other' },
      { message: 'Hello!' },
      { contacts: ['919812345679', '919812345678'] },
      { contacts: ['919812345678'] },
    ];
    for (const other of others) {
      expectRefused(
        await sms.broadcast(sender, { ...body, ...other, providermessageid }),
        409,
        'request_id already exists',
      );
    }
    expectRefused(await sms.broadcast(member, { ...body, providermessageid }), 409, 'request_id already exists');
    expect(await sms.credits(sender)).toBe(98);
  });

  it('sent many times at once makes one campaign and one debit', async () => {
    const sender = await sms.join(100);
    const providermessageid = `race.${sender.account.id}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sms.broadcast(sender, { ...body, providermessageid })),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(await sms.credits(sender)).toBe(98);
  });
});

describe('without a usable route', () => {
  it('503 after the 400 rows, before credits and debit; a repeated request still gets its answer', async () => {
    const bare = await openSms({}, { route: false });
    try {
      const sender = await bare.join(0);
      expectRefused(await bare.broadcast(sender, { ...GOOD, schedule_time: 'x' }), 400, SCHEDULE);
      expectRefused(await bare.broadcast(sender, GOOD), 503, 'No route available for this channel');
      const rich = await bare.join(5);
      const id = await bare.addRoute('main', true);
      const body = { ...GOOD, providermessageid: 'kept-1' };
      const first = await bare.broadcast(rich, body);
      await bare.removeRoute(id);
      expect((await bare.broadcast(rich, body)).body).toEqual(first.body);
      expectRefused(await bare.broadcast(rich, { ...body, message: 'Other' }), 409, 'request_id already exists');
      expectRefused(await bare.broadcast(rich, GOOD), 503, 'No route available for this channel');
      expect(await bare.credits(rich)).toBe(4);
    } finally {
      await bare.stop();
    }
  });
});
