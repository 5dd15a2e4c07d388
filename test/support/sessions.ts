import { createHmac } from 'node:crypto';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import type { Account } from '../../src/modules/accounts/index.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type ChatAccountDraft, ChatAccounts, ChatWindows } from '../../src/modules/providers/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { accountsOf, type Answer } from './accounts.js';
import { startApi } from './api.js';
import { GraphUpstream, PHONE_NUMBER_ID } from './graph-upstream.js';
import { startWorker } from './worker.js';

/** An account of a test, its token, and the id of its chat account. */
export interface ChatMember {
  account: Account;
  token: string;
  routeId: number;
}

/** A stored session message. */
export interface StoredSession {
  id: number;
  status: string;
  receiver: string;
  content: Record<string, unknown>;
  label: string | null;
  providerMessageId: string | null;
  errorCode: number | null;
  errorMessage: string | null;
  dueAt: Date | null;
}

export type Sessions = Awaited<ReturnType<typeof openSessions>>;

/** An API with chat accounts whose provider is a small real server. */
export async function openSessions(overrides: Partial<Environment> = {}) {
  const upstream = await GraphUpstream.open();
  const api = await startApi({ USER_RATE_LIMIT: 0, ...overrides });
  const accounts = accountsOf(api);
  const dataSource = api.app.get(DataSource, { strict: false });

  /** An account without any chat account. */
  const stranger = async (fields: { timeZone?: string } = {}): Promise<Omit<ChatMember, 'routeId'>> => {
    const account = await accounts.account(fields);
    return { account, token: accounts.token(account) };
  };

  /** Creates or changes a chat account. */
  const connect = async (account: Account, change: Partial<ChatAccountDraft> = {}): Promise<number> => {
    const chatAccounts = api.app.get(ChatAccounts, { strict: false });
    const draft: ChatAccountDraft = {
      accountId: account.id,
      connection: 'official',
      provider: 'meta_cloud',
      number: '15550001111',
      url: upstream.accountUrl,
      token: 'token-of-the-account',
      appId: null,
      appSecret: 'app-secret',
      verifyToken: 'verify-token',
      bmid: null,
      wabaId: null,
      messagesPerSecond: null,
      ...change,
    };
    const { id } = await inTransaction(dataSource, (tx) => chatAccounts.put(tx, draft));
    chatAccounts.forget();
    return id;
  };

  return {
    api,
    upstream,
    accounts,
    dataSource,
    stranger,
    connect,

    stop: async (): Promise<void> => {
      await api.stop();
      await upstream.stop();
    },

    /** An account with an official chat account at the upstream. */
    member: async (change: Partial<ChatAccountDraft> = {}, fields: { timeZone?: string } = {}): Promise<ChatMember> => {
      const owner = await stranger(fields);
      return { ...owner, routeId: await connect(owner.account, change) };
    },

    /** As if the contact had written this long ago. */
    openWindow: async (member: ChatMember, contact: string, agoMs = 0): Promise<void> => {
      const windows = api.app.get(ChatWindows, { strict: false });
      const sentAt = new Date(Date.now() - agoMs);
      await inTransaction(dataSource, (tx) => windows.open(tx, member.routeId, [{ contact, sentAt }]));
    },

    /** A v6 session message with the member's token, to the member's own path unless told otherwise. */
    v6: (
      member: Omit<ChatMember, 'routeId'>,
      body: unknown,
      {
        username = member.account.username,
        headers = {},
      }: { username?: string; headers?: Record<string, string> } = {},
    ): Promise<Answer> =>
      accounts.call('POST', `/v6/api/chat/24/${username}/messages`, { token: member.token, body, headers }),

    /** A v5 session message. */
    v5: (member: Omit<ChatMember, 'routeId'>, body: unknown, path = 'session.php'): Promise<Answer> =>
      accounts.call('POST', `/v5/api/${path}`, { token: member.token, body }),

    /** A callback of the upstream with these statuses, signed with the account's secret. @returns its status */
    callback: async (
      { routeId }: Pick<ChatMember, 'routeId'>,
      statuses: Record<string, unknown>[],
    ): Promise<number> => {
      const value = { messaging_product: 'whatsapp', metadata: { phone_number_id: PHONE_NUMBER_ID }, statuses };
      const body = JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
      });
      const signature = `sha256=${createHmac('sha256', 'app-secret').update(body).digest('hex')}`;
      const headers = { 'x-hub-signature-256': signature };
      return (await accounts.call('POST', `/provider/chat/${routeId}`, { headers, body })).status;
    },

    /** The moment of every scheduled message of these accounts has come. */
    makeDue: async (...members: Pick<ChatMember, 'account'>[]): Promise<void> => {
      const ids = members.map(({ account }) => account.id);
      await dataSource.query(
        'UPDATE session_messages SET due_at = UTC_TIMESTAMP(3) WHERE due_at IS NOT NULL AND account_id IN (?)',
        [ids],
      );
    },

    /** The account's session messages, oldest first. */
    stored: async ({ account }: Pick<ChatMember, 'account'>): Promise<StoredSession[]> => {
      const rows = await dataSource.query<Record<string, unknown>[]>(
        'SELECT * FROM session_messages WHERE account_id = ? ORDER BY id',
        [account.id],
      );
      return rows.map((row) => ({
        id: Number(row['id']),
        status: RecipientStatus[Number(row['status'])] ?? '',
        receiver: String(row['receiver']),
        content: JSON.parse(String(row['content'])) as Record<string, unknown>,
        label: row['label'] as string | null,
        providerMessageId: row['provider_message_id'] as string | null,
        errorCode: row['error_code'] as number | null,
        errorMessage: row['error_message'] as string | null,
        dueAt: row['due_at'] as Date | null,
      }));
    },

    /** A worker on the same database, as another process would be. */
    startWorker: (more: Partial<Environment> = {}): Promise<TestingModule> =>
      startWorker({ ...api.environment, ...more }),
  };
}
