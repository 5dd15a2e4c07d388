import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type ChatAccountDraft, ChatWindows } from '../../src/modules/providers/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import type { Operation } from './api-contract.js';
import { campaignsOf, dataOf } from './campaigns.js';
import { isObject } from './documented-requests.js';
import { addOtherRoutes } from './every-channel.js';
import { GraphUpstream } from './graph-upstream.js';
import { type Member, openApi, PASSWORD } from './sms.js';
import { AudioServer } from './voice.js';

const CREDITS = 1_000_000;
const NUMBER = '919812345678';
const TEMPLATE = 'order_ready';
const LEAVING = 16;

export type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** An installation in which every endpoint has something to tell of: one of everything, and those who may ask. */
export async function openInstallation(overrides: Partial<Environment> = {}) {
  const none = { LOGIN_FAILURE_LIMIT: 0, IP_FAILURE_LIMIT: 0, REGISTER_RATE_LIMIT: 0 };
  const api = await openApi({ OUTBOUND_ALLOW: '127.0.0.0/8', ...none, ...overrides });
  await addOtherRoutes(api);
  const campaigns = campaignsOf(api);
  const { dataSource, part, join, post, connect, send, begin, settle } = campaigns;
  const upstream = await GraphUpstream.open();
  const audio = await AudioServer.open();
  await campaigns.addRoute('spare', false);
  const staff = await join(0, { userType: 'super' });

  const customer = async (): Promise<Member> => {
    const member = await join({
      gsm_credits: CREDITS,
      bulk_chat_credits: CREDITS,
      voice_credits: CREDITS,
      chat_marketing_credits: CREDITS,
      chat_utility_credits: CREDITS,
      chat_auth_credits: CREDITS,
    });
    const account: Partial<ChatAccountDraft> = {
      url: upstream.accountUrl,
      appId: '1',
      appSecret: 'app-secret',
      verifyToken: 'verify-token',
    };
    const id = await connect(member, 'official', account);
    await connect(member, 'branded', account);
    const template = { template_name: TEMPLATE, category: 'utility', template_body: 'Hello {{1}}, it is ready' };
    const { body } = await post('/webhook/api/createTemplates.php', member, template);
    await post(`/v6/api/admin/templates/${String(body['template_id'])}/approve`, staff, {});
    await inTransaction(dataSource, (tx) => part(ChatWindows).open(tx, id, [{ contact: NUMBER, sentAt: new Date() }]));
    return member;
  };

  const owner = await customer();
  /** an account that staff change */
  const victim = await customer();
  const leaving = await Promise.all(Array.from({ length: LEAVING }, () => join(0)));
  let left = 0;

  const create = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await post(path, owner, body);
    if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  // One of everything that has an id.
  const requestIds: string[] = [];
  const call = { broadcast_name: 'Call', audio_url: audio.url(1_000), contacts: [NUMBER] };
  for (let i = 0; i < 2; i++) {
    const { request_id: id } = await create('/v6/api/v1/voice/send', call);
    requestIds.push(String(id), await send(owner, [NUMBER, '919812345404']));
  }
  const [spoken, sent = ''] = requestIds;
  const webhook = { url: audio.url(1), events: ['gsm.status.update'] };
  await create('/v6/api/webhooks', webhook);
  await create('/v6/api/webhooks', webhook);
  await begin(sent);
  await settle(sent, [1], RecipientStatus.Failed, 'Absent subscriber');
  const [event] = await dataSource.query<{ id: string }[]>('SELECT id FROM webhook_events');
  const eventIds = [String(event?.id)];
  const [voice] = await dataSource.query<{ content: string }[]>('SELECT content FROM campaigns WHERE request_id = ?', [
    spoken,
  ]);
  const audioName = /\/audio\/([\w.-]+)/.exec(String(voice?.content))?.[1] ?? '';
  await create('/v6/api/account/profile-request', { verified_name: 'Acme' });
  await create('/v6/api/suppressions', { numbers: ['919812345670'] });
  await create('/webhook/api/createTemplates.php', { template_name: 'draft', category: 'utility' });
  const { list_id: listId } = dataOf(await post('/v6/api/lists', owner, { name: 'Customers' }));
  const csv = { 'content-type': 'text/csv' };
  const { upload_id: uploadId } = dataOf(await post('/v6/api/uploads', owner, `to,name\n${NUMBER},Asha\n`, csv));
  const key = await post('/v6/api/account/api-keys', owner, { name: 'Shop' });
  const user = { username: `p${owner.account.username}`, password: 'Sunny-Day-7', firstname: 'A', lastname: 'B' };
  const userId = String(dataOf(await post('/v6/api/account/users', owner, user))['id']);

  /** A documented value with what lives here: addresses that answer, this owner, a time to come. */
  const localised = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => localised(item));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, localised(inner, field)]));
    if (value === 'demo') return owner.account.username;
    if (value === 'carrier-1' || value === 'carrier-2') return 'main';
    if (['password', 'password_confirmation', 'current_password'].includes(name)) return PASSWORD;
    if (name === 'request_id') return requestIds[String(value).startsWith('VCAMP') ? 0 : 1];
    // a bare time of day is always to come
    if (name === 'file') return NUMBER;
    if (name === 'from_list_id' || name === 'list_id') return listId;
    if (name === 'upload_id') return uploadId;
    if (name === 'schedule_time') return /^\d+:/.test(String(value)) ? value : '2099-01-01 00:00:00';
    return typeof value === 'string' && /^https?:/.test(value) ? audio.url(1_000) : value;
  };

  return {
    ...campaigns,
    owner,
    staff,
    victim,
    apiKey: String(dataOf(key)['key']),
    userId,
    audioName,
    requestIds,
    eventIds,
    localised,
    upstream,
    audio,

    stop: async (): Promise<void> => {
      await api.stop();
      await upstream.stop();
      await audio.close();
    },

    /** Good values of a parameter in the path. */
    known: (operation: Operation, name: string): string[] => {
      const admin = operation.path.startsWith('/v6/api/admin');
      const values: Record<string, string[]> = {
        username: [admin ? victim.account.username : owner.account.username],
        request_id: requestIds,
        name: [admin ? 'spare' : audioName],
        event_id: eventIds,
        channel: ['sms', 'unofficial'],
        route: ['main', 'telephone'],
        locale: ['en', 'pt-BR'],
      };
      if (operation.path.startsWith('/v6/api/account/users/')) return [userId];
      if (operation.path.startsWith('/v6/api/lists/') && name.endsWith('id')) return [String(listId)];
      if (operation.path.startsWith('/v6/api/uploads/')) return [String(uploadId)];
      return values[name] ?? ['1', '2', '3', '4', '5', '6'];
    },

    /** Who asks in earnest. Some end the token that they come with, so it is always another's. */
    asker: ({ path }: Operation): Member => {
      if (path.endsWith('/auth/logout') || path.endsWith('/account/sessions'))
        return leaving[left++ % leaving.length] ?? owner;
      return path.startsWith('/v6/api/admin') ? staff : owner;
    },

    bearer: ({ token }: Member): Record<string, string> => ({ authorization: `Bearer ${token}` }),
  };
}
