import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { now } from '../../../kernel/clock.js';
import { cutCodePoints } from '../../../kernel/text.js';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { mayMove, RecipientStatus, type RoutedReceipt } from '../../campaigns/index.js';
import type { MessageContent, SessionMessage } from '../domain/message-content.js';
import { SessionMessageEntity } from './session-message.entity.js';

/** A message that is about to be stored. */
export interface NewSessionMessage extends SessionMessage {
  accountId: number;
  /** the chat account */
  routeId: number;
  label: string | null;
  /** null = it leaves at once */
  dueAt: Date | null;
}

/** A scheduled message whose moment has come. */
export interface DueSessionMessage extends SessionMessage {
  id: number;
  accountId: number;
  routeId: number;
}

interface DueRow {
  id: number;
  account_id: number;
  route_id: number;
  receiver: string;
  content: string;
}

interface StatusRow {
  ordinal: number;
  id: number;
  status: RecipientStatus;
}

interface StatusChange {
  status: RecipientStatus;
  code: number | null;
  text: string | null;
}

const STATUS: Record<RoutedReceipt['receipt']['status'], RecipientStatus> = {
  submitted: RecipientStatus.Submitted,
  delivered: RecipientStatus.Delivered,
  read: RecipientStatus.Read,
  failed: RecipientStatus.Failed,
};

const ERROR_LENGTH = 500;
const ID_ATTEMPTS = 5;
/** Rows that one statement fails at the most. */
const OVERDUE_BATCH = 1_000;

function changeBy(receipt: RoutedReceipt['receipt']): StatusChange {
  const status = STATUS[receipt.status];
  if (receipt.status !== 'failed') return { status, code: null, text: null };
  const text = receipt.errorText === null ? null : cutCodePoints(receipt.errorText, ERROR_LENGTH);
  return { status, code: receipt.errorCode, text };
}

/** The table of session messages. Their statuses are those of recipients, and only move forward. */
@Injectable()
export class SessionMessageStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores a message before it leaves: from now on its outcome is unknown, unless it is scheduled. */
  async add(message: NewSessionMessage): Promise<number> {
    const at = now();
    for (let attempt = 1; ; attempt++) {
      const id = newId();
      try {
        await this.dataSource.getRepository(SessionMessageEntity).insert({
          id,
          accountId: message.accountId,
          routeId: message.routeId,
          label: message.label,
          receiver: message.to,
          content: JSON.stringify(message.content),
          status: message.dueAt ? RecipientStatus.Pending : RecipientStatus.Unknown,
          dueAt: message.dueAt,
          createdAt: at,
          updatedAt: at,
        });
        return id;
      } catch (error) {
        if (!isDuplicateKey(error) || attempt >= ID_ATTEMPTS) throw error;
      }
    }
  }

  /** The provider has it. */
  async submitted(id: number, providerMessageId: string | null): Promise<void> {
    await this.settle(id, { status: RecipientStatus.Submitted, providerMessageId });
  }

  /** It will never be sent, or was refused. */
  async failed(id: number, errorCode: number | null, text: string): Promise<void> {
    const errorMessage = cutCodePoints(text, ERROR_LENGTH);
    await this.settle(id, { status: RecipientStatus.Failed, errorCode, errorMessage });
  }

  /**
   * Takes scheduled messages whose moment has come, for this worker alone. Their outcome is unknown from here on: one
   * that a worker dies with is never sent again.
   */
  takeDue(limit: number): Promise<DueSessionMessage[]> {
    return inTransaction(this.dataSource, async (tx) => {
      const rows: DueRow[] = await tx.query(
        `SELECT id, account_id, route_id, receiver, content FROM session_messages
         WHERE due_at <= UTC_TIMESTAMP(3) ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED`,
        [limit],
      );
      if (rows.length > 0) {
        await tx.query(
          'UPDATE session_messages SET status = ?, due_at = NULL, updated_at = UTC_TIMESTAMP(3) WHERE id IN (?)',
          [RecipientStatus.Unknown, rows.map((row) => row.id)],
        );
      }
      return rows.map((row) => ({
        id: row.id,
        accountId: row.account_id,
        routeId: row.route_id,
        to: row.receiver,
        content: JSON.parse(row.content) as MessageContent,
      }));
    });
  }

  /** Fails what has waited for a receipt longer than this, so that nothing stays in limbo (decisions §6). */
  async failOverdue(receiptTimeoutMs: number): Promise<void> {
    for (const status of [RecipientStatus.Submitted, RecipientStatus.Unknown]) {
      await this.dataSource.query(
        `UPDATE session_messages SET status = ?, error_message = 'No delivery receipt', updated_at = UTC_TIMESTAMP(3)
         WHERE status = ? AND updated_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND LIMIT ${OVERDUE_BATCH}`,
        [RecipientStatus.Failed, status, receiptTimeoutMs * 1000],
      );
    }
  }

  /**
   * Moves the messages that these receipts belong to, forward only.
   * @returns one entry a receipt: whether it belongs to a session message
   */
  async applyReceipts(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<boolean[]> {
    const rows: StatusRow[] = await tx.query(
      `SELECT j.ordinal, m.id, m.status FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]', route_id INT PATH '$[1]',
         id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) j
       JOIN session_messages m ON m.route_id = j.route_id AND m.provider_message_id = j.id FOR UPDATE`,
      [JSON.stringify(receipts.map(({ routeId, receipt }, index) => [index, routeId, receipt.providerMessageId]))],
    );
    const taken = receipts.map(() => false);
    const moved = new Map<number, StatusChange>();
    for (const row of rows.toSorted((a, b) => a.ordinal - b.ordinal)) {
      const receipt = receipts[row.ordinal]?.receipt;
      if (!receipt) continue;
      taken[row.ordinal] = true;
      if (mayMove(moved.get(row.id)?.status ?? row.status, STATUS[receipt.status]))
        moved.set(row.id, changeBy(receipt));
    }
    if (moved.size > 0) {
      await tx.query(
        `UPDATE session_messages m JOIN JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', status INT PATH '$[1]',
           code INT PATH '$[2]', text VARCHAR(${ERROR_LENGTH}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]')) j
         ON m.id = j.id SET m.status = j.status, m.error_code = j.code, m.error_message = j.text,
           m.updated_at = UTC_TIMESTAMP(3)`,
        [JSON.stringify([...moved].map(([id, { status, code, text }]) => [id, status, code, text]))],
      );
    }
    return taken;
  }

  /** Only the first word about a message that has left counts here; what comes later comes as receipts. */
  private async settle(id: number, change: Partial<SessionMessageEntity>): Promise<void> {
    await this.dataSource
      .getRepository(SessionMessageEntity)
      .update({ id, status: RecipientStatus.Unknown }, { ...change, updatedAt: now() });
  }
}
