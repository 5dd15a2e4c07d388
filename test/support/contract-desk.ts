import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type ChatAccountDraft, ChatWindows } from '../../src/modules/providers/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import type { Operation } from './api-contract.js';
import { dataOf } from './campaign-desk.js';
import { isObject } from './documented-requests.js';
import { EveryChannelDesk } from './every-channel-desk.js';
import { GraphUpstream } from './graph-upstream.js';
import { type Member, PASSWORD } from './sms-desk.js';
import { AudioServer } from './voice-desk.js';

const CREDITS = 1_000_000;
const NUMBER = '919812345678';
const TEMPLATE = 'order_ready';
const LEAVING = 16;

/** An installation in which every endpoint has something to tell of: one of everything, and those who may ask. */
export class ContractDesk extends EveryChannelDesk {
  private upstream!: GraphUpstream;
  private audio!: AudioServer;
  owner!: Member;
  staff!: Member;
  /** an account that staff change */
  victim!: Member;
  private leaving: Member[] = [];
  private left = 0;
  apiKey = '';
  userId = '';
  audioName = '';
  requestIds: string[] = [];
  eventIds: string[] = [];

  static async furnished(overrides: Partial<Environment> = {}): Promise<ContractDesk> {
    const none = { LOGIN_FAILURE_LIMIT: 0, IP_FAILURE_LIMIT: 0, REGISTER_RATE_LIMIT: 0 };
    const desk = await ContractDesk.open({ OUTBOUND_ALLOW: '127.0.0.0/8', ...none, ...overrides });
    await desk.addEveryRoute();
    desk.upstream = await GraphUpstream.open();
    desk.audio = await AudioServer.open();
    await desk.addRoute('spare', false);
    desk.staff = await desk.join(0, { userType: 'super' });
    desk.owner = await desk.customer();
    desk.victim = await desk.customer();
    desk.leaving = await Promise.all(Array.from({ length: LEAVING }, () => desk.join(0)));
    await desk.furnish();
    return desk;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.upstream.stop();
    await this.audio.close();
  }

  /** Good values of a parameter in the path. */
  known(operation: Operation, name: string): string[] {
    const admin = operation.path.startsWith('/v6/api/admin');
    const values: Record<string, string[]> = {
      username: [admin ? this.victim.account.username : this.owner.account.username],
      request_id: this.requestIds,
      name: [admin ? 'spare' : this.audioName],
      event_id: this.eventIds,
      channel: ['sms', 'unofficial'],
      route: ['main', 'telephone'],
    };
    if (operation.path.startsWith('/v6/api/account/users/')) return [this.userId];
    return values[name] ?? ['1', '2', '3', '4', '5', '6'];
  }

  /** A documented value with what lives here: addresses that answer, this owner, a time to come. */
  readonly localised = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => this.localised(item));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.localised(inner, key)]));
    if (value === 'demo') return this.owner.account.username;
    if (name === 'password' || name === 'password_confirmation') return PASSWORD;
    if (name === 'request_id') return this.requestIds[String(value).startsWith('VCAMP') ? 0 : 1];
    // a bare time of day is always to come
    if (name === 'file') return NUMBER;
    if (name === 'schedule_time') return /^\d+:/.test(String(value)) ? value : '2099-01-01 00:00:00';
    return typeof value === 'string' && /^https?:/.test(value) ? this.audio.url(1_000) : value;
  };

  /** Who asks in earnest. A logout ends the token that it comes with, so it is always another's. */
  asker({ path }: Operation): Member {
    if (path.endsWith('/auth/logout')) return this.leaving[this.left++ % this.leaving.length] ?? this.owner;
    return path.startsWith('/v6/api/admin') ? this.staff : this.owner;
  }

  bearer = ({ token }: Member): Record<string, string> => ({ authorization: `Bearer ${token}` });

  private async customer(): Promise<Member> {
    const member = await this.join({
      gsm_credits: CREDITS,
      bulk_chat_credits: CREDITS,
      voice_credits: CREDITS,
      chat_marketing_credits: CREDITS,
      chat_utility_credits: CREDITS,
      chat_auth_credits: CREDITS,
    });
    const account: Partial<ChatAccountDraft> = {
      url: this.upstream.accountUrl,
      appId: '1',
      appSecret: 'app-secret',
      verifyToken: 'verify-token',
    };
    const id = await this.connect(member, 'official', account);
    await this.connect(member, 'branded', account);
    const template = { template_name: TEMPLATE, category: 'utility', template_body: 'Hello {{1}}, it is ready' };
    const { body } = await this.post('/webhook/api/createTemplates.php', member, template);
    await this.post(`/v6/api/admin/templates/${String(body['template_id'])}/approve`, this.staff, {});
    await inTransaction(this.dataSource, (tx) =>
      this.part(ChatWindows).open(tx, id, [{ contact: NUMBER, sentAt: new Date() }]),
    );
    return member;
  }

  /** One of everything that has an id. */
  private async furnish(): Promise<void> {
    const create = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      const answer = await this.post(path, this.owner, body);
      if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const call = { broadcast_name: 'Call', audio_url: this.audio.url(1_000), contacts: [NUMBER] };
    for (let i = 0; i < 2; i++) {
      const { request_id: id } = await create('/v6/api/v1/voice/send', call);
      this.requestIds.push(String(id), await this.send(this.owner, [NUMBER, '919812345404']));
    }
    const [spoken, sent = ''] = this.requestIds;
    const webhook = { url: this.audio.url(1), events: ['gsm.status.update'] };
    await create('/v6/api/webhooks', webhook);
    await create('/v6/api/webhooks', webhook);
    await this.begin(sent);
    await this.settle(sent, [1], RecipientStatus.Failed, 'Absent subscriber');
    const [event] = await this.dataSource.query<{ id: string }[]>('SELECT id FROM webhook_events');
    this.eventIds = [String(event?.id)];
    const [voice] = await this.dataSource.query<{ content: string }[]>(
      'SELECT content FROM campaigns WHERE request_id = ?',
      [spoken],
    );
    this.audioName = /\/audio\/([\w.-]+)/.exec(String(voice?.content))?.[1] ?? '';
    await create('/v6/api/account/profile-request', { verified_name: 'Acme' });
    await create('/v6/api/suppressions', { numbers: ['919812345670'] });
    await create('/webhook/api/createTemplates.php', { template_name: 'draft', category: 'utility' });
    const key = await this.post('/v6/api/account/api-keys', this.owner, { name: 'Shop' });
    this.apiKey = String(dataOf(key)['key']);
    const user = {
      username: `p${this.owner.account.username}`,
      password: 'Sunny-Day-7',
      firstname: 'A',
      lastname: 'B',
    };
    this.userId = String(dataOf(await this.post('/v6/api/account/users', this.owner, user))['id']);
  }
}
