import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { messageId, newId } from '../../kernel/ids.js';
import { cutCodePoints } from '../../kernel/text.js';
import { afterCommit, inTransaction, isDuplicateKey } from '../../platform/database/index.js';
import { CHAT_EVENT, CHAT_STATUS_LABELS } from '../channels/chat/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import { figuresOf, isFinal, RecipientStatus, StatusLabels } from '../engine/index.js';
import { isTestRoute } from '../providers/index.js';
import { SESSION_TRAFFIC, Traffic, type TrafficOf } from '../traffic/index.js';
import type { SessionMessage } from './session-message.js';
import { SessionMessageEntity } from './tables.js';

export interface SessionOwner {
  accountId: number;
  routeId: number;
}

export interface SessionMove extends SessionOwner {
  from: RecipientStatus;
  to: RecipientStatus;
  isOverdue?: boolean;
  /** of a receipt: milliseconds since the message left; null = not known */
  ageMs?: number | null;
}

/** Messages of test keys are in no statistics. */
const isLive = ({ routeId }: SessionOwner): boolean => !isTestRoute(routeId);

const trafficOf = ({ accountId, routeId }: SessionOwner): TrafficOf => ({
  ...{ accountId, routeId, channel: SESSION_TRAFFIC },
});

/** Counts status changes for the statistics after the commit, like those of recipients. */
export function countMoves(tx: EntityManager, traffic: Traffic, moves: readonly SessionMove[]): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    for (const { isOverdue = false, ageMs = null, ...move } of moves.filter(isLive)) {
      const { from, to } = move;
      for (const figure of figuresOf({ from, to, isOverdue })) traffic.count(trafficOf(move), figure);
      if (ageMs !== null && isFinal(to) && !isFinal(from)) traffic.delays(trafficOf(move), [Math.max(0, ageMs)]);
    }
  });
}

export function countReceipts(tx: EntityManager, traffic: Traffic, owners: readonly SessionOwner[]): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    for (const owner of owners.filter(isLive)) traffic.count(trafficOf(owner), 'receipts');
  });
}

/** Counts a message that may have left. */
export function countUnknown(traffic: Traffic, owner: SessionOwner): void {
  if (isLive(owner)) traffic.count(trafficOf(owner), 'unknown');
}

interface SessionRow {
  id: number;
  account_id: number;
  receiver: string;
  status: RecipientStatus;
  provider_message_id: string | null;
  scheduled: number;
  error_code: number | null;
  error_message: string | null;
  tags: string | null;
  is_test: number;
}

export const SESSION_LABELS = new StatusLabels({ event: CHAT_EVENT, statusLabels: CHAT_STATUS_LABELS });

/** Publishes events of session messages in the transaction of their statuses (reference/session-messages#statuses). */
@Injectable()
export class SessionEvents {
  constructor(private readonly events: CustomerEvents) {}

  /** @param providerIds provider ids of messages whose row has none yet */
  async publish(tx: EntityManager, ids: readonly number[], providerIds?: ReadonlyMap<number, string>): Promise<void> {
    if (ids.length === 0 || !this.events.hasSubscribers) return;
    const rows: SessionRow[] = await tx.query(
      `SELECT id, account_id, receiver, status, provider_message_id, scheduled, error_code, error_message, tags, is_test
       FROM session_messages WHERE id IN (?)`,
      [ids],
    );
    await this.events.publish(
      tx,
      rows.map((row) => {
        const { account_id: accountId, receiver, status, error_code: errorCode, error_message: errorMessage } = row;
        const recipient = { number: receiver, status, errorCode, errorMessage, duration: null };
        const record = SESSION_LABELS.deliveryRecord(idOf(row, providerIds), recipient);
        const body = { ...record, ...(row.is_test === 1 && { test: true }), ...taggedOf(row) };
        return { accountId, type: CHAT_EVENT, body };
      }),
    );
  }
}

/** What the events of a message have besides (reference/messages#events). */
const taggedOf = ({ id, tags }: SessionRow): object =>
  tags === null ? {} : { message_id: messageId({ kind: 'ses', id }), ...(JSON.parse(tags) as object) };

/** The id in the answer to the send: the provider's, or ours for a scheduled message or where the provider gave none. */
const idOf = (row: SessionRow, providerIds?: ReadonlyMap<number, string>): string =>
  (row.scheduled ? null : (row.provider_message_id ?? providerIds?.get(row.id))) ?? String(row.id);

export interface NewSessionMessage extends SessionMessage {
  accountId: number;
  routeId: number;
  label: string | null;
  createdBy: string;
  tags?: object | null;
  /** null = it leaves at once */
  dueAt: Date | null;
}

export interface SentSessionMessage extends SessionOwner {
  id: number;
}

/** Longest error text, in code points. */
export const ERROR_LENGTH = 500;
const LONGEST_PROVIDER_ID = 128;
const ID_ATTEMPTS = 5;
/** Rows per statement. */
const OVERDUE_BATCH = 1_000;
const WAITING = [RecipientStatus.Submitted, RecipientStatus.Unknown] as const;
/** The database's clock decides what is overdue. */
const NOW = (): string => 'UTC_TIMESTAMP(3)';

/** SQL: whether a message has waited longer for its receipt. @param receiptTimeoutMs milliseconds */
export const isAnyOverdue = (receiptTimeoutMs: number): string => {
  const before = `UTC_TIMESTAMP(3) - INTERVAL ${Math.round(receiptTimeoutMs * 1000)} MICROSECOND`;
  // One subquery per status: each is one step in the index.
  const overdue = WAITING.map(
    (status) => `EXISTS (SELECT 1 FROM session_messages WHERE status = ${status} AND updated_at <= ${before})`,
  );
  return `(${overdue.join(' OR ')})`;
};

/** The table of session messages. Statuses are those of recipients, and only move forward. */
@Injectable()
export class SessionMessageStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: SessionEvents,
    private readonly traffic: Traffic,
  ) {}

  /** Stores a message before it leaves, with unknown outcome unless it is scheduled. @returns its id */
  async add(message: NewSessionMessage): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const id = newId();
      try {
        const row = {
          id,
          accountId: message.accountId,
          routeId: message.routeId,
          isTest: isTestRoute(message.routeId) ? 1 : 0,
          label: message.label,
          createdBy: message.createdBy,
          tags: message.tags ? JSON.stringify(message.tags) : null,
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

  /** The provider accepted it. @param given its id; if another message has that id already, receipts match by our reference */
  async submitted(message: SentSessionMessage, given: string | null): Promise<void> {
    const providerMessageId = given !== null && given.length <= LONGEST_PROVIDER_ID ? given : null;
    try {
      await this.settle(message, { status: RecipientStatus.Submitted, providerMessageId });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await this.settle(message, { status: RecipientStatus.Submitted });
    }
  }

  async failed(message: SentSessionMessage, errorCode: number | null, text: string): Promise<void> {
    const errorMessage = cutCodePoints(text, ERROR_LENGTH);
    await this.settle(message, { status: RecipientStatus.Failed, errorCode, errorMessage });
  }

  /** Fails a message that has certainly not left. */
  async neverSent(message: SentSessionMessage, text: string): Promise<void> {
    const errorMessage = cutCodePoints(text, ERROR_LENGTH);
    await this.settle(message, { status: RecipientStatus.Failed, errorMessage, sentAt: null });
  }

  /** Fails messages without a receipt after this many milliseconds (reference/engine#receipt-deadline). */
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

  /** Counts only the first outcome of a message that has left; later ones come as receipts. */
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
