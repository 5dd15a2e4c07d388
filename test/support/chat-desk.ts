import type { Environment } from '../../src/platform/config/index.js';
import { now } from '../../src/kernel/clock.js';
import { type ChatAccountDraft, ChatAccounts, type ChatConnection } from '../../src/modules/providers/index.js';
import { TemplateStatus } from '../../src/modules/templates/index.js';
import { CONTROLLER_TYPES, categoryOf } from '../../src/modules/templates/domain/template.js';
import { TemplateControllerEntity, TemplateEntity } from '../../src/modules/templates/persistence/template.entities.js';
import { type Answer, type Member, SmsDesk } from './sms-desk.js';

/** The desk with what tests of the chat channels need: chat accounts, templates, stored campaigns. */
export class ChatDesk extends SmsDesk {
  get environment(): Environment {
    return this.api.environment;
  }

  unofficial(member: Member | null, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/webhook/api/addbroadcastUnofficial.php', member, body, headers);
  }

  /** A chat account that is complete unless a test wants it otherwise; answers its id, the engine's route. */
  async connect(member: Member, connection: ChatConnection, change: Partial<ChatAccountDraft> = {}): Promise<number> {
    const accounts = this.api.app.get(ChatAccounts, { strict: false });
    const draft: ChatAccountDraft = {
      accountId: member.account.id,
      connection,
      provider: 'meta_cloud',
      number: '15550001111',
      url: 'https://graph.example/v21.0/104466778899',
      token: 'chat-token',
      appId: null,
      appSecret: null,
      verifyToken: null,
      bmid: null,
      wabaId: null,
      messagesPerSecond: null,
      ...change,
    };
    const { id } = await this.dataSource.transaction((tx) => accounts.put(tx, draft));
    accounts.forget();
    return id;
  }

  async disconnect(id: number): Promise<void> {
    const accounts = this.api.app.get(ChatAccounts, { strict: false });
    await this.dataSource.transaction((tx) => accounts.remove(tx, id));
    accounts.forget();
  }

  /** An approved template in English (US) without placeholders, unless a test wants it otherwise. */
  async template(member: Member, name: string, change: Partial<TemplateEntity> = {}): Promise<void> {
    const at = now();
    const row = {
      accountId: member.account.id,
      name,
      category: 1,
      languageId: 1,
      status: TemplateStatus.Approved,
      reason: null,
      headerAreaType: 'none',
      headerMediaType: '',
      headerText: '',
      headerExampleUrl: null,
      body: 'Your order is ready',
      bodyExamples: '[]',
      footer: '',
      quickReplies: '[]',
      upstreamId: null,
      createdAt: at,
      updatedAt: at,
      ...change,
    };
    const { identifiers } = await this.dataSource.getRepository(TemplateEntity).insert(row);
    await this.dataSource.getRepository(TemplateControllerEntity).insert({
      templateId: Number(identifiers[0]?.['id']),
      type: CONTROLLER_TYPES[categoryOf(row.category)],
      controllerStatus: 'approved',
      createdAt: at,
      updatedAt: at,
    });
  }

  /** The stored campaign of an answer. */
  async campaign(answer: Answer): Promise<Record<string, unknown>> {
    const rows: Record<string, unknown>[] = await this.dataSource.query(
      'SELECT * FROM campaigns WHERE request_id = ?',
      [answer.body['request_id']],
    );
    return rows[0] ?? {};
  }

  /** Its receivers, in order. */
  async receivers(answer: Answer): Promise<string[]> {
    const rows: { receiver: string }[] = await this.dataSource.query(
      'SELECT r.receiver FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id WHERE c.request_id = ? ORDER BY r.seq',
      [answer.body['request_id']],
    );
    return rows.map((row) => row.receiver);
  }
}
