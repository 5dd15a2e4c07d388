import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatMember, openSessions, type Sessions } from '../support/sessions.js';

const KB = 1024;
const NUMBER = '919812345678';

let sessions: Sessions;
let member: ChatMember;
let staff: string;

beforeAll(async () => {
  sessions = await openSessions();
  member = await sessions.member();
  await sessions.openWindow(member, NUMBER);
  staff = sessions.accounts.token(await sessions.accounts.account({ userType: 'super' }));
});
afterAll(() => sessions.stop());

/** What stands around the text where it is stored is far smaller than this. */
const MARGIN = 512;
const fits = 'x'.repeat(64 * KB - MARGIN);
const bursts = 'x'.repeat(64 * KB);

interface Door {
  name: string;
  /** @returns status and text of the answer */
  send: (text: string) => Promise<[status: number, message: unknown]>;
  refusal: string;
  /** of what fits */
  accepted: number;
}

const session = (content: Record<string, unknown>): Door['send'] => {
  const body = { messaging_product: 'chat', to: NUMBER, ...content };
  return async (text) => {
    const filled: unknown = JSON.parse(JSON.stringify(body).replace('@', text));
    const answer = await sessions.v6(member, filled);
    return [answer.status, answer.body['message']];
  };
};

const CONTENT = 'Message content must be at most 64 KB';
const DOORS: Door[] = [
  {
    name: 'text of a session message',
    send: session({ type: 'text', text: { body: '@' } }),
    refusal: CONTENT,
    accepted: 200,
  },
  {
    name: 'context of a session message',
    send: session({ type: 'text', text: { body: 'Hi' }, context: { message_id: '@' } }),
    refusal: CONTENT,
    accepted: 200,
  },
  {
    name: 'contacts of a session message',
    send: session({ type: 'contacts', contacts: [{ name: { formatted_name: '@' } }] }),
    refusal: CONTENT,
    accepted: 200,
  },
  {
    name: 'v5 session message',
    send: async (text) => {
      const body = { brodcast_service: 'chat_credits', contacts: NUMBER, broadcast_message: text };
      const answer = await sessions.v5(member, body);
      return [answer.status, answer.body['message']];
    },
    refusal: CONTENT,
    accepted: 200,
  },
  ...['chat', 'chatTemplate', 'chatBranded'].map((path): Door => ({
    name: `components over ${path}`,
    send: async (text) => {
      const components = [{ type: 'body', parameters: [{ type: 'text', text }] }];
      const template = { name: 'none', language: { code: 'en' }, components };
      const body = { messaging_product: 'chat', to: [NUMBER], type: 'template', template };
      const url = `/v6/api/${path}/24/${member.account.username}/messages`;
      const answer = await sessions.accounts.call('POST', url, { token: member.token, body });
      return [answer.status, answer.body['message']];
    },
    refusal: 'template.components must be at most 64 KB',
    accepted: 404,
  })),
  {
    name: 'config of a route',
    send: async (text) => {
      const config = { url: 'http://127.0.0.1:9/', body: { to: '{{to}}', note: text } };
      const body = { channel: 'sms', driver: 'http', config };
      const answer = await sessions.accounts.call('PUT', '/v6/api/admin/routes/heavy', { token: staff, body });
      return [answer.status, answer.body['message']];
    },
    refusal: 'config must be at most 64 KB',
    accepted: 200,
  },
];

describe('what is stored as it came', () => {
  it.each(DOORS)('$name: 64 KB of JSON at the most', async ({ send, refusal, accepted }) => {
    expect(await send(bursts)).toEqual([400, refusal]);
    const [status, message] = await send(fits);
    expect(status, String(message)).toBe(accepted);
  });
});
