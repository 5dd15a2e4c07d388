import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import type { SingleRun } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inTransaction, type WriteResult } from '../../platform/database/index.js';
import { DueWatch } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';
import { AccountDirectory, accountErrors } from '../accounts/index.js';
import { RecipientStatus } from '../engine/index.js';
import {
  ChatAccounts,
  ChatWindows,
  isTestRoute,
  type SendOutcome,
  testOutcome,
  usableAccount,
  type UsableChatAccount,
} from '../providers/index.js';
import { type DueSessionMessage, ScheduledMessageStore } from './scheduled-messages.store.js';
import { sessionErrors } from './session-messages.errors.js';
import { isAnyOverdue, SessionMessageStore } from './session-messages.store.js';
import { SessionSender } from './session-sender.js';

/** Delay of a scheduled message whose provider cannot be reached. */
const TRY_AGAIN_MS = 30_000;
const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
const INSIST_AT_STOP_MS = 10_000;
const MOST_AT_ONCE = 50;
/** Limit per chat account, so that a slow provider does not delay messages of others. */
const MOST_OF_ONE = 10;

/** Sends scheduled session messages when due, and fails overdue ones without a receipt. Safe in several workers. */
@Injectable()
export class ScheduledSends implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ScheduledSends.name);
  private readonly sending = new Map<Promise<void>, number>();
  private readonly rounds: SingleRun;
  private readonly deadlines: SingleRun;
  private moreIsDue = false;
  /** `performance.now()` until which writes are retried at shutdown */
  private insistUntil = Infinity;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    watch: DueWatch,
    private readonly store: SessionMessageStore,
    private readonly scheduled: ScheduledMessageStore,
    private readonly sender: SessionSender,
    private readonly owners: AccountDirectory,
    private readonly accounts: ChatAccounts,
    private readonly windows: ChatWindows,
  ) {
    const onFault = (error: unknown): void => this.logger.warn({ err: safeError(error) }, 'round failed, trying again');
    const { RECEIPT_TIMEOUT: timeoutMs } = environment;
    this.rounds = watch.register({
      name: 'scheduled-sends',
      isDue: 'EXISTS (SELECT 1 FROM session_messages WHERE due_at <= UTC_TIMESTAMP(3))',
      work: () => this.fill(),
      onFault,
    });
    this.deadlines = watch.register({
      name: 'session-deadlines',
      isDue: isAnyOverdue(timeoutMs),
      work: () => this.store.failOverdue(timeoutMs),
      onFault,
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.rounds.stop(), this.deadlines.stop()]);
    this.insistUntil = performance.now() + INSIST_AT_STOP_MS;
    await Promise.all(this.sending.keys());
  }

  /** Claims due messages up to the free capacity; the sends run beside the task. */
  private async fill(): Promise<void> {
    const most = MOST_AT_ONCE - this.sending.size;
    if (most <= 0) return;
    const except = this.fullRoutes();
    const due = await this.scheduled.claim({ most, mostOfOne: MOST_OF_ONE, except });
    this.moreIsDue = due.length > 0 || except.length > 0;
    for (const message of due) {
      const send: Promise<void> = this.send(message).finally(() => {
        this.sending.delete(send);
        if (this.moreIsDue) void this.rounds.run(() => this.fill());
      });
      this.sending.set(send, message.routeId);
    }
  }

  private fullRoutes(): number[] {
    const taken = new Map<number, number>();
    for (const routeId of this.sending.values()) taken.set(routeId, (taken.get(routeId) ?? 0) + 1);
    return [...taken].filter(([, count]) => count >= MOST_OF_ONE).map(([routeId]) => routeId);
  }

  /** Never rejects. A failure before the intent leaves a claim that expires, and the message is due again. */
  private async send(message: DueSessionMessage): Promise<void> {
    try {
      const account = await this.accountFor(message);
      if (account instanceof AppError) return await this.scheduled.refuse(message, account.message);
      if (!(await this.insist(message, () => this.scheduled.begin(message)))) return;
      const outcome =
        account === 'test'
          ? testOutcome(message.to, 'chat', { again: true, items: 1 })
          : await this.sender.attempt(message, account, message);
      await this.insist(message, () => this.settle(message, outcome));
    } catch (error) {
      this.logger.warn({ err: safeError(error), sessionMessage: message.id }, 'scheduled message was put off');
    }
  }

  private async settle(message: DueSessionMessage, outcome: SendOutcome): Promise<void> {
    if (outcome.kind === 'accepted') await this.sender.submitted(message, outcome.providerMessageIds[0] ?? null);
    else if (outcome.kind === 'rejected') await this.store.failed(message, outcome.code, outcome.text);
    else if (outcome.kind === 'retry' || outcome.kind === 'unsent') {
      const isBusy = outcome.kind === 'retry' && outcome.throttled;
      await this.scheduled.putBack(message, isBusy ? outcome.afterMs : TRY_AGAIN_MS);
    }
  }

  /** Repeats a write until the database accepts it: only this process knows the outcome of the message. */
  private async insist<T>({ id }: DueSessionMessage, write: () => Promise<T>): Promise<T> {
    for (let wait = SHORTEST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        return await write();
      } catch (error) {
        if (performance.now() >= this.insistUntil) throw error;
        this.logger.warn({ err: safeError(error), sessionMessage: id }, 'the database did not take it, trying again');
        await sleep(wait);
      }
    }
  }

  /** The chat account as it is now, or why the message may not leave. */
  private async accountFor({
    accountId,
    routeId,
    to,
  }: DueSessionMessage): Promise<UsableChatAccount | AppError | 'test'> {
    const owner = await this.owners.byId(accountId);
    if (!owner || !this.owners.usable(owner)) return accountErrors.inactive();
    if (isTestRoute(routeId)) return 'test';
    try {
      const account = usableAccount(await this.accounts.byId(routeId));
      return (await this.windows.isOpen(routeId, to)) ? account : sessionErrors.ticketExpired();
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
}

const MESSAGES_A_STEP = 1_000;
/** As for campaigns: the clock of the former instance may have been ahead. */
const CLOCK_MARGIN_MINUTES = 10;

/** Scheduled session messages when a copy of the database is taken into use (docs/decisions/0042). */
@Injectable()
export class SessionFence {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Marks due messages as unknown: they may have left since the copy. Receipts or the deadline settle them. @returns count */
  async raise(): Promise<number> {
    for (let count = 0; ;) {
      const { affectedRows } = await inTransaction(this.dataSource, (tx) =>
        tx.query<WriteResult>(
          `UPDATE session_messages SET status = ${RecipientStatus.Unknown}, sent_at = UTC_TIMESTAMP(3), due_at = NULL, claim = NULL,
             updated_at = UTC_TIMESTAMP(3)
           WHERE status = ${RecipientStatus.Pending} AND due_at <= UTC_TIMESTAMP(3) + INTERVAL ${CLOCK_MARGIN_MINUTES} MINUTE
           ORDER BY due_at LIMIT ${MESSAGES_A_STEP}`,
        ),
      );
      count += affectedRows;
      if (affectedRows < MESSAGES_A_STEP) return count;
    }
  }
}
