import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isUserId } from '../../kernel/contacts.js';
import { AppError } from '../../kernel/errors.js';
import { messageId } from '../../kernel/ids.js';
import { objectOrNull } from '../../kernel/json-values.js';
import { textOrNull } from '../../kernel/text.js';
import { safeError } from '../../platform/observability/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, createdBy, isTesting } from '../accounts/index.js';
import { Guard } from '../guard/index.js';
import {
  type ChatAccount,
  ChatAccounts,
  ChatNumberPairs,
  ChatWindows,
  type GraphAnswer,
  isTestRoute,
  MetaCloudClient,
  PROVIDER_SILENT,
  PROVIDER_UNREACHED,
  providerErrorCode,
  providerErrorText,
  type SendOutcome,
  TEST_ROUTE_IDS,
  testOutcome,
  testReceipt,
  usableAccount,
  type UsableChatAccount,
} from '../providers/index.js';
import { Traffic } from '../traffic/index.js';
import { type SessionMessage, sessionReference } from './session-message.js';
import { sessionErrors } from './session-messages.errors.js';
import { SessionReceiptStore } from './session-receipts.store.js';
import { countUnknown, type SentSessionMessage, SessionMessageStore } from './session-messages.store.js';

export type ProviderAnswer = Record<string, unknown>;

/** What goes with a session message besides its content. */
export interface SessionExtras {
  /** v5's broadcast_name */
  label?: string | null;
  /** of a message (reference/messages#metadata) */
  tags?: object | null;
}

/** Sends session messages: stored first, sent once, settled by the answer. A message that may have left is never sent again. */
@Injectable()
export class SessionSender {
  private readonly logger = new Logger(SessionSender.name);

  constructor(
    private readonly store: SessionMessageStore,
    private readonly client: MetaCloudClient,
    private readonly traffic: Traffic,
    private readonly pairs: ChatNumberPairs,
    private readonly receipts: SessionReceiptStore,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Sends a message for a waiting request. @returns our id and the provider's answer @throws AppError 502 on refusal or silence */
  async send(
    account: UsableChatAccount,
    message: SessionMessage,
    createdBy: string,
    { label = null, tags = null }: SessionExtras = {},
  ): Promise<{ id: number; answer: ProviderAnswer }> {
    const { accountId, id: routeId } = account;
    const id = await this.store.add({ ...message, accountId, routeId, label, tags, createdBy, dueAt: null });
    const sent = { id, accountId, routeId };
    const answer = isTestRoute(routeId) ? testAnswer(message.to) : await this.ask(sent, account, message);
    const refusal = answer.status < 300 ? null : sessionErrors.refused(providerErrorText(answer.body));
    await this.record(id, () =>
      refusal
        ? this.store.failed(sent, providerErrorCode(answer.body), refusal.message)
        : this.submitted(sent, messageIdOf(answer.body)),
    );
    if (refusal) throw refusal;
    if (!isTestRoute(routeId)) this.pairs.learn(routeId, message.to, answer.body);
    return { id, answer: answer.body };
  }

  /** Sends a scheduled message, already stored with unknown outcome. Never throws. */
  async attempt(
    { id, ...owner }: SentSessionMessage,
    account: UsableChatAccount,
    { to, content }: SessionMessage,
  ): Promise<SendOutcome> {
    const outcome = await this.client.attempt(account, { to, payload: content, ref: sessionReference(id) });
    if (outcome.kind === 'unknown') countUnknown(this.traffic, owner);
    return outcome;
  }

  /** The provider has it. A test message gets its receipt at once. */
  async submitted(sent: SentSessionMessage, providerMessageId: string | null): Promise<void> {
    await this.store.submitted(sent, providerMessageId);
    const { routeId } = sent;
    const receipt = isTestRoute(routeId) && providerMessageId !== null ? testReceipt(providerMessageId, 'chat') : null;
    if (receipt) await inTransaction(this.dataSource, (tx) => this.receipts.apply(tx, [{ routeId, receipt }]));
  }

  /** Calls the provider. A message that never left has failed; after silence the outcome stays unknown. */
  private async ask(
    sent: SentSessionMessage,
    account: UsableChatAccount,
    { to, content }: SessionMessage,
  ): Promise<GraphAnswer> {
    const { id } = sent;
    try {
      return await this.client.send(account, { to, payload: content, ref: sessionReference(id) });
    } catch (error) {
      if (error instanceof AppError && error.code === PROVIDER_UNREACHED) {
        await this.record(id, () => this.store.neverSent(sent, error.message));
      } else countUnknown(this.traffic, sent);
      if (!hasNotLeft(error)) (error as AppError).helping({ hint: mayHaveLeft(messageId({ kind: 'ses', id })) });
      throw error;
    }
  }

  /** Never throws: if a database fault hid the provider's answer from the client, it would send again. */
  private async record(id: number, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.logger.error({ err: safeError(error), sessionMessage: id }, 'The outcome of a send could not be stored');
    }
  }
}

/** Sends messages within the 24-hour window of their receiver, at once or at a later moment. */
@Injectable()
export class WindowSends {
  constructor(
    private readonly accounts: ChatAccounts,
    private readonly windows: ChatWindows,
    private readonly store: SessionMessageStore,
    private readonly sender: SessionSender,
    private readonly guard: Guard,
  ) {}

  /** @returns `answer` null = stored until `dueAt` @throws AppError 400 `Ticket Expired`; 404, 500 and 502 as a v6 session message */
  async send(
    actor: Account,
    message: SessionMessage,
    dueAt: Date | null,
    extras: SessionExtras,
  ): Promise<{ id: number; answer: ProviderAnswer | null; account: UsableChatAccount }> {
    const account = sendingAccount(actor, await this.accounts.find(actor.id, 'official'));
    // a test number has no window
    if (!isTesting(actor) && !(await this.windows.isOpen(account.id, message.to))) throw sessionErrors.ticketExpired();
    await this.guard.assertOne(actor.id, 'chat', message.to, isTesting(actor));
    const maker = createdBy(actor);
    if (!dueAt) return { ...(await this.sender.send(account, message, maker, extras)), account };
    const { accountId, id: routeId } = account;
    const { label = null, tags = null } = extras;
    const id = await this.store.add({ ...message, accountId, routeId, label, tags, createdBy: maker, dueAt });
    return { id, answer: null, account };
  }
}

const mayHaveLeft = (id: string): string =>
  `The message ${id} may have left: look at GET /v6/api/messages/${id} before you send it again.`;

/** The chat account that a session message leaves over, for a test key without its provider. @throws AppError as `usableAccount` */
export function sendingAccount(actor: Account, account: ChatAccount | null): UsableChatAccount {
  const usable = usableAccount(account);
  return isTesting(actor) ? { ...usable, id: TEST_ROUTE_IDS.chat } : usable;
}

/** The provider's answer to a test message, by the number as in the sandbox; faults that occur once have occurred before. */
function testAnswer(to: string): Pick<GraphAnswer, 'status' | 'body'> {
  const outcome = testOutcome(to, 'chat', { again: true, items: 1 });
  if (outcome.kind === 'accepted') {
    const contacts = [isUserId(to) ? { input: to, user_id: to } : { input: to, wa_id: to }];
    const messages = outcome.providerMessageIds.map((id) => ({ id }));
    return { status: 200, body: { messaging_product: 'chat', contacts, messages } };
  }
  const { code, text: message } = outcome as Extract<SendOutcome, { kind: 'rejected' }>;
  return { status: 400, body: { error: { message, code } } };
}

/** True for a fault after which the provider certainly has no message; after silence it may have one. */
export const hasNotLeft = (error: unknown): boolean => !(error instanceof AppError && error.code === PROVIDER_SILENT);

/** The provider's id of the message; its receipts carry it. */
function messageIdOf(body: ProviderAnswer): string | null {
  const messages: unknown = body['messages'];
  return Array.isArray(messages) ? textOrNull(objectOrNull(messages[0])?.['id']) : null;
}
