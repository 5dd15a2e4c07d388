import { JwtService } from '@nestjs/jwt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi } from '../support/api.js';
import { type Installation, openInstallation } from '../support/installation.js';

const BROADCAST = '/webhook/api/addbroadcastgsm.php';
const GOOD = { broadcast_name: 'Spring', brodcast_service: 'main', contacts: ['919812345678'], message: 'Hello' };
const HELP = ['code', 'field', 'index', 'hint'];

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallation({ PUBLIC_URL: 'https://sms.example' });
});
afterAll(() => installation.stop());

type Json = Record<string, unknown>;

async function ask(path: string, init: RequestInit & { json?: unknown } = {}, url = installation.url): Promise<Json> {
  const { json, ...rest } = init;
  const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
  const headers = { 'content-type': 'application/json', ...(rest.headers as Record<string, string>) };
  return (await (await fetch(url + path, { ...body, ...rest, headers })).json()) as Json;
}

const helpOf = (body: Json): Json => Object.fromEntries(HELP.flatMap((key) => (key in body ? [[key, body[key]]] : [])));
const bearer = () => ({ authorization: `Bearer ${installation.owner.token}` });
const code = async (path: string, headers: Record<string, string>): Promise<unknown> =>
  (await ask(path, { headers }))['code'];

describe('a token that nobody can be told from', () => {
  const CREDITS = '/v6/api/account/credits';
  const USERS = '/v6/api/account/users';

  it('is one text, and told apart by its code', async () => {
    const { apiKey, owner } = installation;
    const jwt = installation.part(JwtService);
    const expired = jwt.sign({ iat: 1_700_000_000, exp: 1_700_000_100, data: { username: owner.account.username } });
    const forged = `${expired.slice(0, expired.lastIndexOf('.'))}.${'A'.repeat(43)}`;
    const seen = {
      token_missing: await code(CREDITS, {}),
      bearer_missing: await code(CREDITS, { authorization: owner.token }),
      key_sent_as_token: await code(CREDITS, { authorization: `Bearer ${apiKey}` }),
      token_sent_as_key: await code(CREDITS, { 'x-api-key': owner.token }),
      key_not_taken: await code(USERS, { 'x-api-key': apiKey }),
      invalid_key: await code(CREDITS, { 'x-api-key': `sk_${'x'.repeat(43)}` }),
      token_expired: await code(CREDITS, { authorization: `Bearer ${expired}` }),
      invalid_token: await code(CREDITS, { authorization: `Bearer ${forged}` }),
    };
    expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, name])));
    expect(await code('/v5/api/session.php', { authorization: apiKey })).toBeDefined();
    const answer = await ask(CREDITS, { headers: { authorization: 'Basic eDp5' } });
    expect(answer).toMatchObject({
      success: false,
      statusCode: 401,
      message: 'Invalid Authorization token',
      error: 'Unauthorized',
      doc_url: 'https://sms.example/docs/guide/errors#bearer_missing',
    });
    expect(answer['hint']).toMatch(/Bearer/);
  });

  it('tells nothing of an account: an unknown name, a closed one and staff answer alike', async () => {
    const closed = await installation.join();
    await ask(`/v6/api/admin/accounts/${closed.account.username}`, {
      method: 'PATCH',
      body: JSON.stringify({ require_token: true }),
      headers: { authorization: `Bearer ${installation.staff.token}` },
    });
    const answers = await Promise.all(
      ['nobody-of-this-name', closed.account.username, installation.staff.account.username].map((username) =>
        ask(BROADCAST, { json: { ...GOOD, username } }),
      ),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ statusCode: 401, code: 'invalid_token' });
    const logIn = (email_or_username: string) =>
      ask('/v6/api/v1/auth/login', { json: { email_or_username, password: 'Wrong-1234!' } });
    expect(await logIn('nobody-of-this-name')).toEqual(await logIn(installation.owner.account.username));
  });
});

describe('what is wrong with a request', () => {
  it.each([
    [{ contacts: ['919812345678', '+49 1'] }, { code: 'contact_length', field: 'contacts', index: 1 }],
    [{ contacts: [null] }, { code: 'contact_length', field: 'contacts', index: 0 }],
    [{ message: ' ' }, { code: 'fields_required', field: 'message' }],
    [{ schedule_time: 'tomorrow' }, { code: 'schedule_time', field: 'schedule_time' }],
    [{ schedule_time: '2020-01-01 00:00:00' }, { code: 'schedule_time_past', field: 'schedule_time' }],
  ])('of the broadcast %j', async (change, expected) => {
    const answer = await ask(BROADCAST, { json: { ...GOOD, ...change }, headers: bearer() });
    expect(helpOf(answer)).toMatchObject(expected);
    expect(answer['hint']).toBeTypeOf('string');
  });

  it('shows no more than the start of a contact', async () => {
    const long = '1'.repeat(200);
    const answer = await ask(BROADCAST, { json: { ...GOOD, contacts: [long] }, headers: bearer() });
    expect(answer['message']).toBe('Each contact number must be between 9 and 30 digits');
    expect(answer['hint']).toBe('contacts[0] ("11111111…") has 200 digits, not 9 to 30.');
  });

  it('names the field of our own endpoints', async () => {
    const answer = await ask('/v6/api/account/api-keys', { json: { allowed_ips: 'x' }, headers: bearer() });
    expect(helpOf(answer)).toMatchObject({ field: 'allowed_ips' });
    const login = await ask('/v6/api/v1/auth/register', { json: {} });
    expect(helpOf(login)).toEqual({ code: 'field_required', field: 'firstname' });
  });

  it.each([
    [
      { url: 'ftp://x/', events: ['gsm.status.update'] },
      { code: 'webhook_url_invalid', field: 'url' },
    ],
    [
      { url: 'http://10.1.2.3/', events: ['gsm.status.update'] },
      { code: 'webhook_url_blocked', field: 'url' },
    ],
    [
      { url: 'https://x.example/', events: ['odd'] },
      { code: 'webhook_events_unknown', field: 'events' },
    ],
    [
      { url: 'https://x.example/', events: [] },
      { code: 'webhook_events_required', field: 'events' },
    ],
  ])('of the webhook %j', async (json, expected) => {
    expect(helpOf(await ask('/v6/api/webhooks', { json, headers: bearer() }))).toMatchObject(expected);
  });

  it('of a send that is short of something: which field, and what to do', async () => {
    const poor = await installation.join();
    const as = { headers: { authorization: `Bearer ${poor.token}` } };
    const many = Array.from({ length: 2_000 }, () => '919812345678');
    const unpaid = await ask(BROADCAST, { json: { ...GOOD, contacts: many }, ...as });
    expect(unpaid).toMatchObject({ code: 'insufficient_credits', hint: expect.stringContaining('credits') as unknown });
    const sender = await ask(BROADCAST, { json: { ...GOOD, sender_id: 'NOBODY' }, headers: bearer() });
    expect(helpOf(sender)).toMatchObject({ code: 'sender_not_approved', field: 'sender_id' });
    const username = installation.owner.account.username;
    const template = await ask(`/v6/api/chatTemplate/24/${username}/messages`, {
      json: {
        messaging_product: 'chat',
        to: '919812345678',
        type: 'template',
        template: { name: 'none of this name', language: { code: 'en' } },
      },
      headers: bearer(),
    });
    expect(helpOf(template)).toMatchObject({ code: 'template_message_not_found', field: 'template.name' });
    const voice = await ask('/v6/api/v1/voice/send', {
      json: { broadcast_name: 'A', message: 'Hello', contacts: [] },
      headers: bearer(),
    });
    expect(helpOf(voice)).toEqual({ code: 'voice_request', field: 'contacts' });
    for (const body of [sender, template]) expect(body['hint']).toMatch(/\/v6\/api\//);
  });

  it('of the one parameter of sms_get.php that is missing or bad', async () => {
    const parameters = { username: 'a', password: 'b', message: 'c' };
    const { hint, ...missing } = helpOf(await ask(`/v5/api/sms_get.php?${new URLSearchParams(parameters).toString()}`));
    expect(missing).toEqual({ code: 'fields_required', field: 'number' });
    expect(hint).toBeTypeOf('string');
    const key = { username: installation.owner.account.username, password: installation.apiKey, message: 'c' };
    const bad = await ask(`/v5/api/sms_get.php?${new URLSearchParams({ ...key, number: '12' }).toString()}`);
    expect(helpOf(bad)).toMatchObject({ code: 'contact_length', field: 'number' });
  });

  it('knows the id of another channel by its form', async () => {
    const voice = await ask('/v6/api/voice/report?request_id=GSMCAMP_20260501_A1B2C3', { headers: bearer() });
    expect(voice).toMatchObject({ statusCode: 404, message: 'Report not found', code: 'report_of_sms_id' });
    const sms = await ask('/webhook/api/getGSMreport.php?request_id=VCAMP_20260501_A1B2C3D4');
    expect(sms).toMatchObject({ statusCode: 404, message: 'Report not found', code: 'report_of_voice_id' });
    expect(await ask('/webhook/api/getGSMreport.php?request_id=mine')).toMatchObject({ code: 'report_not_found' });
  });
});

describe('what is taken otherwise than it was said', () => {
  /** The codes and fields of the header; the body has the specified fields only. */
  const hintsOf = async (change: Json, headers: Record<string, string> = bearer()): Promise<Json[]> => {
    const answer = await fetch(installation.url + BROADCAST, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...GOOD, ...change }),
    });
    const body = (await answer.json()) as Json;
    expect(body).toMatchObject({ status: 'PP1', message: 'Success', url: '1', Credits: 1 });
    expect(Object.keys(body)).toEqual(['request_id', 'status', 'message', 'url', 'username', 'Credits']);
    return JSON.parse(answer.headers.get('switchboard-warnings') ?? '[]') as Json[];
  };
  const routeOf = async () => {
    const { data } = await ask('/v6/api/admin/routes', {
      headers: { authorization: `Bearer ${installation.staff.token}` },
    });
    return (data as Json[]).find((route) => route['channel'] === 'sms' && route['is_default'] === true)?.['name'];
  };

  it('a route that there is not: the header says so, of a repeat too', async () => {
    const warning = { code: 'unknown_route', field: 'brodcast_service' };
    const headers = { ...bearer(), 'idempotency-key': 'unknown-route' };
    expect(await hintsOf({ brodcast_service: 'no-such-route' }, headers)).toEqual([warning]);
    expect(await hintsOf({ brodcast_service: 'no-such-route' }, headers)).toEqual([warning]);
    expect(await hintsOf({ brodcast_service: await routeOf() })).toEqual([]);
    expect(await hintsOf({ brodcast_service: 'default' })).toEqual([]);
  });

  it('a route of a campaign that there is not', async () => {
    const { message, broadcast_name, contacts } = GOOD;
    const campaign = { channel: 'sms', broadcast_name, message, contacts };
    const sendOver = (route?: string) =>
      ask('/v6/api/campaigns', { json: { ...campaign, ...(route && { route }) }, headers: bearer() });
    const answer = await sendOver('no-such-route');
    expect(answer['warnings']).toEqual([
      { code: 'unknown_route', field: 'route', message: expect.stringContaining(`${String(await routeOf())} is used`) },
    ]);
    expect(answer['data']).not.toHaveProperty('routeId');
    for (const route of [undefined, String(await routeOf())]) {
      const known = await sendOver(route);
      expect(known).toMatchObject({ success: true });
      expect(known).not.toHaveProperty('warnings');
    }
  });

  it('ids of DLT, where the route has no place for them', async () => {
    await ask('/v6/api/admin/routes/dlt-carrier', {
      method: 'PUT',
      headers: { authorization: `Bearer ${installation.staff.token}` },
      json: {
        channel: 'sms',
        driver: 'http',
        config: { url: 'https://dlt.example/', body: { id: '{{dlt_template_id}}' } },
      },
    });
    const { message, broadcast_name, contacts } = GOOD;
    const campaign = { channel: 'sms', broadcast_name, message, contacts, dlt_template_id: '1107161234567890123' };
    const warning = { code: 'dlt_not_sent', field: 'dlt_template_id', message: expect.any(String) as unknown };
    for (const [route, warnings] of [
      [await routeOf(), [warning]],
      ['dlt-carrier', undefined],
    ] as const) {
      const hints = await hintsOf({ brodcast_service: route, dlt_template_id: campaign.dlt_template_id });
      expect(hints).toEqual(warnings ? [{ code: 'dlt_not_sent', field: 'dlt_template_id' }] : []);
      const sent = await ask('/v6/api/campaigns', { json: { ...campaign, route }, headers: bearer() });
      expect([sent['success'], sent['warnings']]).toEqual([true, warnings]);
    }
    const sent = await ask('/v6/api/campaigns', { json: campaign, headers: bearer() });
    expect(sent['warnings']).toEqual([warning]);
  });

  it('no attachment of a campaign', async () => {
    const url = 'https://files.example/1.pdf';
    const attached = { img1: url, img2: url, document: url, media_with_caption: true };
    const { message, broadcast_name, contacts } = GOOD;
    const answer = await ask('/v6/api/campaigns', {
      json: { channel: 'unofficial', broadcast_name, message, contacts, ...attached },
      headers: bearer(),
    });
    expect(answer).toMatchObject({ success: true });
    expect(answer).not.toHaveProperty('warnings');
  });

  it('fields that there are not: ten at the most are listed, without their values', async () => {
    const route = await routeOf();
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x${index}`, 'secret-value']));
    const hints = await hintsOf({ brodcast_service: route, sceduled_time: 'secret-value', ...many });
    expect(hints).toHaveLength(10);
    expect(hints[0]).toEqual({ code: 'unknown_field', field: 'sceduled_time' });
    expect(JSON.stringify(hints)).not.toContain('secret-value');
    const long = await hintsOf({ brodcast_service: route, ['y'.repeat(500)]: 1 });
    expect(long).toEqual([{ code: 'unknown_field', field: 'y'.repeat(64) }]);
    expect(await hintsOf({ brodcast_service: route, providerMessageId: 'known-alias-1' })).toEqual([]);
    const own = await ask('/v6/api/account/api-keys', { json: { name: 'A', nmae: 'B' }, headers: bearer() });
    expect(own).toMatchObject({ success: true, warnings: [{ code: 'unknown_field', field: 'nmae' }] });
  });
});

describe('the bodies of old', () => {
  it('v5 has what helps beside its three fields; the public look-up has its text alone', async () => {
    const { doc_url: page, hint, ...v5 } = await ask('/v5/api/session.php', { json: {} });
    expect(v5).toEqual({
      status: 'error',
      textsent: 'error',
      message: 'Invalid Authorization token',
      code: 'token_missing',
    });
    expect([page, hint]).toEqual(['https://sms.example/docs/guide/errors#token_missing', expect.any(String)]);
    expect(await ask('/v6/api/public/profile-request')).toEqual({
      message: 'parent_username query parameter is required',
    });
  });

  it('links within the host without PUBLIC_URL, and nowhere without pages', async () => {
    for (const [change, expected] of [
      [{}, '/docs/guide/errors#unknown_resource'],
      [{ DOCS: false }, undefined],
    ] as const) {
      const { PUBLIC_URL: _, ...environment } = installation.environment;
      const other = await startApi({ ...environment, ...change }, installation.database);
      try {
        expect((await ask('/nowhere', {}, other.url))['doc_url']).toBe(expected);
      } finally {
        await other.stop();
      }
    }
  });
});
