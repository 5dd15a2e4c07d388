import type { Environment } from '../../src/platform/config/index.js';
import { now } from '../../src/kernel/clock.js';
import { type ChatAccountDraft, ChatAccounts, type ChatConnection } from '../../src/modules/providers/index.js';
import { TemplateStatus } from '../../src/modules/templates/index.js';
import { CONTROLLER_TYPES, categoryOf } from '../../src/modules/templates/template.js';
import { TemplateControllerEntity, TemplateEntity } from '../../src/modules/templates/tables.js';
import type { RunningApi } from './api.js';
import { type Answer, type Member, openApi, type Opening, smsOf } from './sms.js';

export type Chat = ReturnType<typeof chatOf>;

export const openChat = async (overrides?: Partial<Environment>, opening?: Opening): Promise<Chat> =>
  chatOf(await openApi(overrides, opening));

/** What tests of the chat channels need around an API: chat accounts, templates, stored campaigns. */
export function chatOf(api: RunningApi) {
  const sms = smsOf(api);
  const { dataSource, part, post } = sms;
  const chatAccounts = part(ChatAccounts);

  return {
    ...sms,

    unofficial: (member: Member | null, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      post('/webhook/api/addbroadcastUnofficial.php', member, body, headers),

    /** A chat account that is complete unless a test wants it otherwise; answers its id, the engine's route. */
    connect: async (
      member: Member,
      connection: ChatConnection,
      change: Partial<ChatAccountDraft> = {},
    ): Promise<number> => {
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
      const { id } = await dataSource.transaction((tx) => chatAccounts.put(tx, draft));
      chatAccounts.forget();
      return id;
    },

    disconnect: async (id: number): Promise<void> => {
      await dataSource.transaction((tx) => chatAccounts.remove(tx, id));
      chatAccounts.forget();
    },

    /** An approved template in English (US) without placeholders, unless a test wants it otherwise. */
    template: async (member: Member, name: string, change: Partial<TemplateEntity> = {}): Promise<void> => {
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
      const { identifiers } = await dataSource.getRepository(TemplateEntity).insert(row);
      await dataSource.getRepository(TemplateControllerEntity).insert({
        templateId: Number(identifiers[0]?.['id']),
        type: CONTROLLER_TYPES[categoryOf(row.category)],
        controllerStatus: 'approved',
        createdAt: at,
        updatedAt: at,
      });
    },

    /** The stored campaign of an answer. */
    campaign: async (answer: Answer): Promise<Record<string, unknown>> => {
      const rows: Record<string, unknown>[] = await dataSource.query('SELECT * FROM campaigns WHERE request_id = ?', [
        answer.body['request_id'],
      ]);
      return rows[0] ?? {};
    },

    /** Its receivers, in order. */
    receivers: async (answer: Answer): Promise<string[]> => {
      const rows: { receiver: string }[] = await dataSource.query(
        'SELECT r.receiver FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id WHERE c.request_id = ? ORDER BY r.seq',
        [answer.body['request_id']],
      );
      return rows.map((row) => row.receiver);
    },
  };
}
