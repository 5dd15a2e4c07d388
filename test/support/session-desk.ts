import { createHmac } from 'node:crypto';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import type { Account } from '../../src/modules/accounts/index.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type ChatAccountDraft, ChatAccounts, ChatWindows } from '../../src/modules/providers/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { AccountsDesk, type Answer } from './accounts-desk.js';
import { type RunningApi, startApi } from './api.js';
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

/** The API with chat accounts whose provider is a small real server. */
export class SessionDesk {
  private constructor(
    readonly api: RunningApi,
    readonly upstream: GraphUpstream,
    readonly accounts: AccountsDesk,
  ) {}

  static async open(overrides: Partial<Environment> = {}): Promise<SessionDesk> {
    const upstream = await GraphUpstream.open();
    const api = await startApi({ USER_RATE_LIMIT: 0, ...overrides });
    return new SessionDesk(api, upstream, new AccountsDesk(api));
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await this.upstream.stop();
  }

  get dataSource(): DataSource {
    return this.api.app.get(DataSource, { strict: false });
  }

  /** An account without any chat account. */
  async stranger(fields: { timeZone?: string } = {}): Promise<Omit<ChatMember, 'routeId'>> {
    const account = await this.accounts.account(fields);
    return { account, token: this.accounts.token(account) };
  }

  /** An account with an official chat account at the upstream. */
  async member(change: Partial<ChatAccountDraft> = {}, fields: { timeZone?: string } = {}): Promise<ChatMember> {
    const stranger = await this.stranger(fields);
    return { ...stranger, routeId: await this.connect(stranger.account, change) };
  }

  /** Creates or changes a chat account. */
  async connect(account: Account, change: Partial<ChatAccountDraft> = {}): Promise<number> {
    const accounts = this.api.app.get(ChatAccounts, { strict: false });
    const draft: ChatAccountDraft = {
      accountId: account.id,
      connection: 'official',
      provider: 'meta_cloud',
      number: '15550001111',
      url: this.upstream.accountUrl,
      token: 'token-of-the-account',
      appId: null,
      appSecret: 'app-secret',
      verifyToken: 'verify-token',
      bmid: null,
      wabaId: null,
      messagesPerSecond: null,
      ...change,
    };
    const { id } = await inTransaction(this.dataSource, (tx) => accounts.put(tx, draft));
    accounts.forget();
    return id;
  }

  /** As if the contact had written this long ago. */
  async openWindow(member: ChatMember, contact: string, agoMs = 0): Promise<void> {
    const windows = this.api.app.get(ChatWindows, { strict: false });
    const sentAt = new Date(Date.now() - agoMs);
    await inTransaction(this.dataSource, (tx) => windows.open(tx, member.routeId, [{ contact, sentAt }]));
  }

  /** A v6 session message with the member's token, to his own path unless told otherwise. */
  v6(
    member: Omit<ChatMember, 'routeId'>,
    body: unknown,
    { username = member.account.username, headers = {} }: { username?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    return this.accounts.call('POST', `/v6/api/chat/24/${username}/messages`, { token: member.token, body, headers });
  }

  /** A v5 session message. */
  v5(member: Omit<ChatMember, 'routeId'>, body: unknown, path = 'session.php'): Promise<Answer> {
    return this.accounts.call('POST', `/v5/api/${path}`, { token: member.token, body });
  }

  /** A callback of the upstream with these statuses, signed with the account's secret. @returns its status */
  async callback({ routeId }: Pick<ChatMember, 'routeId'>, statuses: Record<string, unknown>[]): Promise<number> {
    const value = { messaging_product: 'whatsapp', metadata: { phone_number_id: PHONE_NUMBER_ID }, statuses };
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
    });
    const signature = `sha256=${createHmac('sha256', 'app-secret').update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature };
    return (await this.accounts.call('POST', `/provider/chat/${routeId}`, { headers, body })).status;
  }

  /** The moment of every scheduled message of these accounts has come. */
  async makeDue(...members: Pick<ChatMember, 'account'>[]): Promise<void> {
    const ids = members.map(({ account }) => account.id);
    await this.dataSource.query(
      'UPDATE session_messages SET due_at = UTC_TIMESTAMP(3) WHERE due_at IS NOT NULL AND account_id IN (?)',
      [ids],
    );
  }

  /** The account's session messages, oldest first. */
  async stored({ account }: Pick<ChatMember, 'account'>): Promise<StoredSession[]> {
    const rows = await this.dataSource.query<Record<string, unknown>[]>(
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
  }

  /** A worker on the same database, as another process would be. */
  startWorker(overrides: Partial<Environment> = {}): Promise<TestingModule> {
    return startWorker({ ...this.api.environment, ...overrides });
  }
}
