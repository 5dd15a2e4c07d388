import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { cutCodePoints } from '../../kernel/text.js';
import { afterCommit, inTransaction, isDuplicateKey } from '../../platform/database/index.js';
import { CHAT_EVENT, CHAT_STATUS_LABELS } from '../channels/chat/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import { deliveryRecord, figuresOf, isFinal, RecipientStatus } from '../engine/index.js';
import { SESSION_TRAFFIC, Traffic, type TrafficOf } from '../traffic/index.js';
import type { SessionMessage } from './session-message.js';
import { SessionMessageEntity } from './tables.js';

/** Whose message it is. */
export interface SessionOwner {
  accountId: number;
  /** the chat account */
  routeId: number;
}

/** A message whose status changed. */
export interface SessionMove extends SessionOwner {
  from: RecipientStatus;
  to: RecipientStatus;
  isOverdue?: boolean;
  /** of a receipt: milliseconds since the message left; null = it is not known to have */
  ageMs?: number | null;
}

const trafficOf = ({ accountId, routeId }: SessionOwner): TrafficOf => ({
  ...{ accountId, routeId, channel: SESSION_TRAFFIC },
});

/** Counts what became of messages for the statistics, once it has committed, as moves of recipients are counted. */
export function countMoves(tx: EntityManager, traffic: Traffic, moves: readonly SessionMove[]): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    for (const { isOverdue = false, ageMs = null, ...move } of moves) {
      const { from, to } = move;
      for (const figure of figuresOf({ from, to, isOverdue })) traffic.count(trafficOf(move), figure);
      if (ageMs !== null && isFinal(to) && !isFinal(from)) traffic.delays(trafficOf(move), [Math.max(0, ageMs)]);
    }
  });
}

/** Counts receipts that found their message, once they have committed. */
export function countReceipts(tx: EntityManager, traffic: Traffic, owners: readonly SessionOwner[]): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    for (const owner of owners) traffic.count(trafficOf(owner), 'receipts');
  });
}

/** Counts a message that may have left, and may not. */
export const countUnknown = (traffic: Traffic, owner: SessionOwner): void => traffic.count(trafficOf(owner), 'unknown');

interface SessionRow {
  id: number;
  account_id: number;
  receiver: string;
  status: RecipientStatus;
  provider_message_id: string | null;
  scheduled: number;
  error_code: number | null;
  error_message: string | null;
}

const CHANNEL = { event: CHAT_EVENT, statusLabels: CHAT_STATUS_LABELS };

/**
 * Publishes the events of session messages (reference/session-messages#statuses), in the transaction of their
 * statuses.
 */
@Injectable()
export class SessionEvents {
  constructor(private readonly events: CustomerEvents) {}

  /**
   * @param ids messages whose status was just written
   * @param providerIds the provider's id of those whose row does not have it yet
   */
  async publish(tx: EntityManager, ids: readonly number[], providerIds?: ReadonlyMap<number, string>): Promise<void> {
    if (ids.length === 0 || !this.events.hasSubscribers) return;
    const rows: SessionRow[] = await tx.query(
      `SELECT id, account_id, receiver, status, provider_message_id, scheduled, error_code, error_message
       FROM session_messages WHERE id IN (?)`,
      [ids],
    );
    await this.events.publish(
      tx,
      rows.map((row) => {
        const { account_id: accountId, receiver, status, error_code: errorCode, error_message: errorMessage } = row;
        const recipient = { number: receiver, status, errorCode, errorMessage, duration: null };
        const body = deliveryRecord(CHANNEL, idOf(row, providerIds), recipient);
        return { accountId, type: CHAT_EVENT, body };
      }),
    );
  }
}

/** The id that the answer to the send carried: the provider's, or ours for a scheduled message and where there is no other. */
const idOf = (row: SessionRow, providerIds?: ReadonlyMap<number, string>): string =>
  (row.scheduled ? null : (row.provider_message_id ?? providerIds?.get(row.id))) ?? String(row.id);

/** A message that is about to be stored. */
export interface NewSessionMessage extends SessionMessage {
  accountId: number;
  /** the chat account */
  routeId: number;
  label: string | null;
  /** who sends it (`kernel/maker.ts`) */
  createdBy: string;
  /** null = it leaves at once */
  dueAt: Date | null;
}

/** A message that has been handed over, or was to be. */
export interface SentSessionMessage extends SessionOwner {
  id: number;
}

/** Longest text of a failure, in code points. */
export const ERROR_LENGTH = 500;
const LONGEST_PROVIDER_ID = 128;
const ID_ATTEMPTS = 5;
/** Rows that one statement fails at the most. */
const OVERDUE_BATCH = 1_000;
/** Messages that have left and wait for their receipt. */
const WAITING = [RecipientStatus.Submitted, RecipientStatus.Unknown] as const;
/** The database's clock, which judges what is overdue. */
const NOW = (): string => 'UTC_TIMESTAMP(3)';

/** SQL: some message waits for its receipt for longer than this. @param receiptTimeoutMs milliseconds */
export const isAnyOverdue = (receiptTimeoutMs: number): string => {
  const before = `UTC_TIMESTAMP(3) - INTERVAL ${Math.round(receiptTimeoutMs * 1000)} MICROSECOND`;
  // One question a status: each is one step in the index.
  const overdue = WAITING.map(
    (status) => `EXISTS (SELECT 1 FROM session_messages WHERE status = ${status} AND updated_at <= ${before})`,
  );
  return `(${overdue.join(' OR ')})`;
};

/** The table of session messages. Their statuses are those of recipients, and only move forward. */
@Injectable()
export class SessionMessageStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: SessionEvents,
    private readonly traffic: Traffic,
  ) {}

  /** Stores a message before it leaves: from now on its outcome is unknown, unless it is scheduled. */
  async add(message: NewSessionMessage): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const id = newId();
      try {
        const row = {
          id,
          accountId: message.accountId,
          routeId: message.routeId,
          label: message.label,
          createdBy: message.createdBy,
          receiver: message.to,
          content: JSON.stringify(message.content),
          status: message.dueAt ? RecipientStatus.Pending : RecipientStatus.Unknown,
          dueAt: message.dueAt,
          scheduled: message.dueAt ? 1 : 0,
          scheduledAt: message.dueAt,
          sentAt: message.dueAt ? null : NOW,
          createdAt: NOW,
          updatedAt: NOW,
        };
        const committed = () => ({ table: 'session_messages', where: { id, account_id: message.accountId } });
        await inTransaction(this.dataSource, (tx) => tx.insert(SessionMessageEntity, row), { committed });
        return id;
      } catch (error) {
        if (!isDuplicateKey(error) || attempt >= ID_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * The provider has it.
   * @param given its id; one that it gave before names another message, and receipts find this one by our reference
   */
  async submitted(message: SentSessionMessage, given: string | null): Promise<void> {
    const providerMessageId = given !== null && given.length <= LONGEST_PROVIDER_ID ? given : null;
    try {
      await this.settle(message, { status: RecipientStatus.Submitted, providerMessageId });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await this.settle(message, { status: RecipientStatus.Submitted });
    }
  }

  /** The provider refused it. */
  async failed(message: SentSessionMessage, errorCode: number | null, text: string): Promise<void> {
    const errorMessage = cutCodePoints(text, ERROR_LENGTH);
    await this.settle(message, { status: RecipientStatus.Failed, errorCode, errorMessage });
  }

  /** It has certainly not left, and never will. */
  async neverSent(message: SentSessionMessage, text: string): Promise<void> {
    const errorMessage = cutCodePoints(text, ERROR_LENGTH);
    await this.settle(message, { status: RecipientStatus.Failed, errorMessage, sentAt: null });
  }

  /**
   * Fails what has waited for a receipt longer than this, so that nothing stays in limbo
   * (reference/engine#receipt-deadline).
   */
  async failOverdue(receiptTimeoutMs: number): Promise<void> {
    for (const status of WAITING) {
      await inTransaction(this.dataSource, async (tx) => {
        const rows: SentSessionMessage[] = await tx.query(
          `SELECT id, account_id AS accountId, route_id AS routeId FROM session_messages WHERE status = ? AND updated_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND
           LIMIT ${OVERDUE_BATCH} FOR UPDATE SKIP LOCKED`,
          [status, receiptTimeoutMs * 1000],
        );
        if (rows.length === 0) return;
        const ids = rows.map(({ id }) => id);
        await tx.query(
          `UPDATE session_messages SET status = ?, error_message = 'No delivery receipt', updated_at = UTC_TIMESTAMP(3)
           WHERE id IN (?)`,
          [RecipientStatus.Failed, ids],
        );
        await this.events.publish(tx, ids);
        const move = { from: status, to: RecipientStatus.Failed, isOverdue: true };
        countMoves(
          tx,
          this.traffic,
          rows.map((row) => ({ ...row, ...move })),
        );
      });
    }
  }

  /** Only the first outcome of a message that has left counts here; what comes later comes as receipts. */
  private async settle(
    { id, ...owner }: SentSessionMessage,
    change: Partial<SessionMessageEntity> & { status: RecipientStatus },
  ): Promise<void> {
    const work = async (tx: EntityManager): Promise<void> => {
      const { affected } = await tx.update(
        SessionMessageEntity,
        { id, status: RecipientStatus.Unknown },
        { ...change, updatedAt: NOW },
      );
      if (!affected) return;
      await this.events.publish(tx, [id]);
      countMoves(tx, this.traffic, [{ ...owner, from: RecipientStatus.Pending, to: change.status }]);
    };
    await inTransaction(this.dataSource, work, { again: 'only the first outcome counts' });
  }
}
