import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, openInstallation } from '../support/installation.js';
import { APP_ID, ProfileUpstream } from '../support/profile-upstream.js';
import { PASSWORD, type Member } from '../support/sms.js';
import {
  of,
  BROADCAST,
  SMS,
  TEMPLATE_MESSAGE,
  TEMPLATE_CAMPAIGN,
  CREATED,
  TEMPLATE,
  VOICE,
  SMS_REPORT,
  VOICE_REPORT,
  SESSION,
  V5,
  REQUEST,
  PROFILE,
  ACCOUNT,
  shapeOf,
  sorted,
  type Shape,
} from '../support/specified-shapes.js';
import { AudioServer } from '../support/voice.js';

const HEADER = 'switchboard-warnings';
const NUMBER = '919812345678';
/** A number that the strict reader refuses. */
const ODD = '0919812345670';
const LONGEST_HEADER = 2_048;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkM+Q9DQADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

type Json = Record<string, unknown>;

let installation: Installation;
let profiles: ProfileUpstream;
let audio: AudioServer;
let owner: Member;
beforeAll(async () => {
  installation = await openInstallation({ PUBLIC_URL: 'https://sms.example', BROADCAST_RATE_LIMIT: 0 });
  profiles = await ProfileUpstream.open();
  audio = await AudioServer.open();
  owner = installation.owner;
  const check = { number_check: 'warn' };
  await ask(`/v6/api/admin/accounts/${owner.account.username}`, {
    method: 'PATCH',
    body: check,
    who: installation.staff,
  });
  const profile = { url: profiles.accountUrl, appId: APP_ID };
  await installation.connect(installation.victim, 'official', profile);
});
afterAll(async () => {
  await installation.stop();
  await profiles.stop();
  await audio.close();
});

interface Asked {
  body?: Json;
  form?: Record<string, string> | FormData;
  method?: string;
  who?: Member;
}

async function ask(path: string, { body, form, method, who = owner }: Asked = {}): Promise<Response> {
  const sent = body ? JSON.stringify(body) : form instanceof FormData ? form : form && new URLSearchParams(form);
  return fetch(installation.url + path, {
    method: method ?? (sent ? 'POST' : 'GET'),
    headers: { authorization: `Bearer ${who.token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(sent && { body: sent }),
  });
}

const broadcast = (more: Json = {}): Json => ({
  broadcast_name: 'Spring',
  brodcast_service: 'no-such-route',
  contacts: [NUMBER, NUMBER, ODD],
  message: 'Hello',
  dlt_template_id: '1107161234567890123',
  surprise: 'secret-value',
  ...more,
});
const template = (to: unknown): Json => ({
  messaging_product: 'chat',
  to,
  type: 'template',
  template: {
    name: 'order_ready',
    language: { code: 'en_US' },
    components: [{ type: 'body', parameters: [{ type: 'text', text: 'A' }] }],
  },
  surprise: 1,
});

interface Case {
  path: string | (() => string);
  asked?: Asked | (() => Asked);
  status?: number;
  shape: Shape;
  /** codes of the header, in their order */
  hints: string[];
}

const mine = (rest: string): (() => string) => {
  return () => `/v6/api/${rest.replace(':me', owner.account.username)}`;
};
const victim = (asked: Asked): (() => Asked) => {
  return () => ({ ...asked, who: installation.victim });
};
const photo = (): FormData => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(PNG)]), 'me.png');
  return form;
};

const CASES: Record<string, Case> = {
  'SMS broadcast': {
    path: '/webhook/api/addbroadcastgsm.php',
    asked: { body: broadcast() },
    shape: SMS,
    hints: ['unknown_route', 'dlt_not_sent', 'numbers_look_wrong', 'unknown_field'],
  },
  'SMS broadcast of a form': {
    path: '/webhook/api/addbroadcastgsm.php',
    asked: {
      form: { broadcast_name: 'A', brodcast_service: 'default', contacts: NUMBER, message: 'Hello', surprise: '1' },
    },
    shape: SMS,
    hints: ['unknown_field'],
  },
  'SMS broadcast over a route by its name': {
    path: '/webhook/api/addbroadcastgsm.php',
    asked: {
      body: { broadcast_name: 'A', brodcast_service: 'main', contacts: [NUMBER], message: 'Hello' },
    },
    shape: SMS,
    hints: [],
  },
  'unofficial broadcast': {
    path: '/webhook/api/addbroadcastUnofficial.php',
    asked: { body: broadcast() },
    shape: BROADCAST,
    hints: ['unknown_route', 'numbers_look_wrong', 'unknown_field', 'unknown_field'],
  },
  createTemplates: {
    path: '/webhook/api/createTemplates.php',
    asked: { body: { template_name: 'klingon', category: 'auth', language: 'klingon', surprise: 1 } },
    shape: CREATED,
    hints: ['language_fallback', 'unknown_field'],
  },
  'createTemplates with the name of a language': {
    path: '/webhook/api/createTemplates.php',
    asked: { body: { template_name: 'hindi', category: 'auth', language: 'Hindi' } },
    shape: CREATED,
    hints: [],
  },
  'templates.php': {
    path: () => `/webhook/api/templates.php?username=${owner.account.username}&surprise=1`,
    shape: [TEMPLATE],
    hints: [],
  },
  'SMS report': {
    path: () => `/webhook/api/getGSMreport.php?request_id=${installation.requestIds[1] ?? ''}`,
    shape: SMS_REPORT,
    hints: [],
  },
  'SMS report, asked by a body': {
    path: '/webhook/api/getGSMreport.php',
    asked: () => ({ body: { providerMessageId: installation.requestIds[1], surprise: 1 } }),
    shape: SMS_REPORT,
    hints: ['unknown_field'],
  },
  'voice report': {
    path: () => `/v6/api/voice/report?request_id=${installation.requestIds[0] ?? ''}`,
    shape: VOICE_REPORT,
    hints: [],
  },
  'voice send': {
    path: '/v6/api/v1/voice/send',
    asked: () => ({
      body: {
        broadcast_name: 'Call',
        audio_url: audio.url(1_000),
        contacts: [NUMBER, NUMBER, ODD, '123'],
        surprise: 1,
      },
    }),
    shape: VOICE,
    hints: ['contacts_left_out', 'contacts_repeated', 'numbers_look_wrong', 'unknown_field'],
  },
  'voice send of a text in a language without a voice': {
    path: '/v6/api/v1/voice/send',
    asked: { body: { broadcast_name: 'Call', message: 'Hi', language: 'klingon', contacts: [NUMBER] } },
    shape: VOICE,
    hints: ['language_fallback'],
  },
  'session message': {
    path: mine('chat/24/:me/messages'),
    asked: { body: { messaging_product: 'chat', to: NUMBER, type: 'text', text: { body: 'Hi' }, surprise: 1 } },
    shape: SESSION,
    hints: ['unknown_field'],
  },
  'session message of a template': {
    path: mine('chat/24/:me/messages'),
    asked: { body: template(NUMBER) },
    status: 201,
    shape: TEMPLATE_MESSAGE,
    hints: ['unknown_field'],
  },
  'template message': {
    path: mine('chatTemplate/24/:me/messages'),
    asked: { body: template(NUMBER) },
    status: 201,
    shape: TEMPLATE_MESSAGE,
    hints: ['unknown_field'],
  },
  'template campaign': {
    path: mine('chatTemplate/24/:me/messages'),
    asked: { body: template([NUMBER, NUMBER, ODD]) },
    status: 201,
    shape: TEMPLATE_CAMPAIGN,
    hints: ['numbers_look_wrong', 'unknown_field'],
  },
  'branded campaign': {
    path: mine('chatBranded/24/:me/messages'),
    asked: { body: template([NUMBER, 'none', ODD]) },
    status: 202,
    shape: TEMPLATE_CAMPAIGN,
    hints: ['contacts_left_out', 'numbers_look_wrong', 'unknown_field'],
  },
  'v5 session message': {
    path: '/v5/api/session.php',
    asked: { body: { brodcast_service: 'chat_credits', contacts: NUMBER, broadcast_message: 'Hi', surprise: 1 } },
    shape: V5,
    hints: ['unknown_field'],
  },
  'sms_get.php': {
    path: () =>
      `/v5/api/sms_get.php?username=${owner.account.username}&password=${installation.apiKey}&message=Hi&number=${NUMBER}`,
    shape: of('status', 'textsent', 'message', 'request_id', 'Credits'),
    hints: [],
  },
  'profile requests': {
    path: '/v6/api/account/profile-request',
    shape: { message: null, data: [REQUEST] },
    hints: [],
  },
  'profile request': {
    path: '/v6/api/account/profile-request',
    asked: { body: { verified_name: 'New', numberForOTP: NUMBER, surprise: 1 } },
    status: 201,
    shape: { message: null, data: REQUEST },
    hints: ['unknown_field'],
  },
  'profile request that is pending': {
    path: '/v6/api/account/profile-request',
    asked: { body: { verified_name: 'New', numberForOTP: NUMBER, surprise: 1 } },
    shape: { message: null, data: REQUEST, duplicate: null },
    hints: ['unknown_field'],
  },
  'public look-up': {
    path: '/v6/api/public/profile-request?parent_username=nobody',
    shape: { message: null, data: null },
    hints: [],
  },
  'business profile': {
    path: '/v6/api/account/business-profile',
    asked: victim({}),
    shape: { message: null, data: PROFILE },
    hints: [],
  },
  'change of the business profile': {
    path: '/v6/api/account/business-profile',
    asked: victim({ method: 'PUT', body: { about: 'New', surprise: 1 } }),
    shape: { message: null, data: PROFILE },
    hints: ['unknown_field'],
  },
  login: {
    path: '/v6/api/v1/auth/login',
    asked: () => ({ body: { email_or_username: owner.account.username, password: PASSWORD, surprise: 1 } }),
    shape: { success: null, message: null, token: null, user: ACCOUNT },
    hints: ['unknown_field'],
  },
  'login of a person': {
    path: '/v1/auth/login',
    asked: () => ({ body: { email_or_username: `p${owner.account.username}`, password: 'Sunny-Day-7' } }),
    shape: { success: null, message: null, token: null, user: ACCOUNT },
    hints: [],
  },
  registration: {
    path: '/v6/api/v1/auth/register',
    asked: {
      body: {
        firstname: 'Jane',
        lastname: 'Doe',
        email: 'jane@example.com',
        username: 'jane.specified',
        password: 'Sunny-Day-7',
        password_confirmation: 'Sunny-Day-7',
        user_type: 'super',
      },
    },
    status: 201,
    shape: { success: null, message: null, user: ACCOUNT },
    hints: ['unknown_field'],
  },
};

describe('the success body has exactly the specified fields, and hints are in the header', () => {
  it.each(Object.entries(CASES))('%s', async (_, { path, asked, status = 200, shape, hints }) => {
    const answer = await ask(typeof path === 'string' ? path : path(), typeof asked === 'function' ? asked() : asked);
    const text = await answer.text();
    expect(answer.status, text).toBe(status);
    expect(shapeOf(JSON.parse(text), shape)).toEqual(sorted(shape));
    expect(text).not.toContain('secret-value');
    const header = answer.headers.get(HEADER);
    const told = (header === null ? [] : JSON.parse(header)) as Json[];
    expect(told.map(({ code }) => code)).toEqual(hints);
    for (const hint of told) for (const field of Object.keys(hint)) expect(['code', 'field', 'count']).toContain(field);
    expect(header ?? '').not.toContain('secret-value');
  });

  it('the changes of a profile request', async () => {
    const created = await ask('/v6/api/account/profile-request', {
      body: { verified_name: 'Other', numberForOTP: '1' },
    });
    const { data } = (await created.json()) as { data: { id: number } };
    const path = `/v6/api/account/profile-request/${data.id}`;
    const changed = await ask(path, { method: 'PUT', body: { number: NUMBER, surprise: 1 } });
    expect(await changed.json()).toEqual({ message: 'Profile request updated successfully' });
    expect(changed.headers.get(HEADER)).toBe('[{"code":"unknown_field","field":"surprise"}]');
    const removed = await ask(path, { method: 'DELETE' });
    expect(await removed.json()).toEqual({ message: 'Profile request deleted successfully' });
  });

  it('a photo of the business profile', async () => {
    const answer = await ask('/v6/api/account/business-profile/photo', { form: photo(), who: installation.victim });
    expect(Object.keys((await answer.json()) as Json).sort()).toEqual(['data', 'message']);
  });

  it('a replay by Idempotency-Key', async () => {
    const send = () =>
      fetch(`${installation.url}/webhook/api/addbroadcastgsm.php`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${owner.token}`,
          'content-type': 'application/json',
          'idempotency-key': 'specified-1',
        },
        body: JSON.stringify(broadcast()),
      });
    const [first, second] = [await send(), await send()];
    expect(await second.json()).toEqual(await first.json());
    expect(second.headers.get(HEADER)).toBe(first.headers.get(HEADER));
    expect(first.headers.get(HEADER)).toContain('unknown_route');
  });
});

describe('the header', () => {
  const told = async (names: Json): Promise<{ header: string; hints: Json[] }> => {
    const body = { broadcast_name: 'A', brodcast_service: 'main', contacts: [NUMBER], message: 'Hello', ...names };
    const header = (await ask('/webhook/api/addbroadcastgsm.php', { body })).headers.get(HEADER) ?? '';
    return { header, hints: JSON.parse(header) as Json[] };
  };

  it('is ASCII in one line, whatever a field is called', async () => {
    const name = 'na\u00efve\r\nX-Evil: 1\u2028\u{1f600}"\\\u007f\ud800';
    const { header, hints } = await told({ [name]: 1 });
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    expect(hints).toEqual([{ code: 'unknown_field', field: name }]);
  });

  it('is of 2 KB at the most, and made of whole entries', async () => {
    const names = Array.from({ length: 30 }, (_, at) => [`${'\u{1f600}'.repeat(60)}${String(at).padStart(4, '0')}`, 1]);
    const { header, hints } = await told(Object.fromEntries(names) as Json);
    expect(header.length).toBeLessThanOrEqual(LONGEST_HEADER);
    expect(hints.length).toBeGreaterThan(1);
    for (const hint of hints) expect(names.map(([name]) => name)).toContain(hint['field']);
  });

  it('counts what it is about', async () => {
    const { hints } = await told({ contacts: [ODD, NUMBER, ODD] });
    expect(hints).toEqual([{ code: 'numbers_look_wrong', field: 'contacts', count: 2 }]);
  });

  it('is not in a refusal', async () => {
    const refused = await ask('/webhook/api/addbroadcastgsm.php', { body: broadcast({ message: '' }) });
    expect([refused.status, refused.headers.get(HEADER)]).toEqual([400, null]);
  });
});
