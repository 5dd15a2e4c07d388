import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { cutCodePoints } from '../../../kernel/text.js';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { RecipientStatus } from '../../engine/index.js';
import { Traffic } from '../../traffic/index.js';
import type { SessionMessage } from '../domain/session-message.js';
import { countMoves, type SessionOwner } from './counted-sessions.js';
import { SessionEvents } from './session-events.js';
import { SessionMessageEntity } from './session-message.entity.js';

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
