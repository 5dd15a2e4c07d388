import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { cutCodePoints } from '../../kernel/text.js';
import { jsonRows, lockOnly } from '../../platform/database/index.js';
import { mayMove, ReceiptListeners, RecipientStatus } from '../engine/index.js';
import { Traffic } from '../traffic/index.js';
import { readSessionReference } from './session-message.js';
import { countMoves, countReceipts, ERROR_LENGTH, SessionEvents, type SessionOwner } from './session-messages.store.js';

type ReceiptListener = Parameters<ReceiptListeners['register']>[0];
type RoutedReceipt = Parameters<ReceiptListener['take']>[1][number];

type Receipt = RoutedReceipt['receipt'];

/** Index in the list, chat account, the provider's id or ours. */
type Wanted = [ordinal: number, routeId: number, id: string | number];

interface StatusRow extends SessionOwner {
  ordinal: number;
  id: number;
  status: RecipientStatus;
  /** milliseconds since it left; null = not known */
  ageMs: number | null;
}

interface StatusChange {
  status: RecipientStatus;
  code: number | null;
  text: string | null;
}

/** Calls have further statuses, which messages never have. */
const STATUS: Readonly<Partial<Record<Receipt['status'], RecipientStatus>>> = {
  submitted: RecipientStatus.Submitted,
  delivered: RecipientStatus.Delivered,
  read: RecipientStatus.Read,
  failed: RecipientStatus.Failed,
};

function changeBy(receipt: Receipt, status: RecipientStatus): StatusChange {
  if (receipt.status !== 'failed') return { status, code: null, text: null };
  const text = receipt.errorText === null ? null : cutCodePoints(receipt.errorText, ERROR_LENGTH);
  return { status, code: receipt.errorCode, text };
}

/** Applies receipts to session messages; statuses only move forward. */
@Injectable()
export class SessionReceiptStore {
  constructor(
    private readonly events: SessionEvents,
    private readonly traffic: Traffic,
  ) {}

  /** Applies receipts, matched by the provider's id or our reference. @returns each: whether it is of a session message */
  async apply(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<boolean[]> {
    const rows = await this.find(tx, receipts);
    countReceipts(tx, this.traffic, rows);
    const moved = new Map<number, StatusChange>();
    const providerIds = new Map<number, string>();
    for (const row of rows.toSorted((a, b) => a.ordinal - b.ordinal)) {
      const receipt = receipts[row.ordinal]?.receipt;
      const status = receipt && STATUS[receipt.status];
      if (receipt && status !== undefined && mayMove(moved.get(row.id)?.status ?? row.status, status)) {
        moved.set(row.id, changeBy(receipt, status));
        providerIds.set(row.id, receipt.providerMessageId);
      }
    }
    await keepPricing(tx, rows, receipts);
    if (moved.size > 0) {
      await this.write(tx, moved);
      await this.events.publish(tx, [...moved.keys()], providerIds);
      const before = new Map(rows.map((row) => [row.id, row]));
      countMoves(
        tx,
        this.traffic,
        [...moved].map(([id, { status: to }]) => {
          const { status: from, ...row } = before.get(id) as StatusRow;
          return { ...row, from, to };
        }),
      );
    }
    const taken = new Set(rows.map(({ ordinal }) => ordinal));
    return receipts.map((_, index) => taken.has(index));
  }

  /** The answer to a send may be lost, or slower than its receipt: then only our reference in the receipt matches. */
  private async find(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<StatusRow[]> {
    const byId = await this.lookUp(
      tx,
      'VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
      'provider_message_id',
      receipts.map(({ routeId, receipt }, index): Wanted => [index, routeId, receipt.providerMessageId]),
    );
    const found = new Set(byId.map(({ ordinal }) => ordinal));
    const referenced = receipts.flatMap(({ routeId, receipt }, index): Wanted[] => {
      const id = found.has(index) ? null : readSessionReference(receipt.ref);
      return id === null ? [] : [[index, routeId, id]];
    });
    return referenced.length === 0 ? byId : [...byId, ...(await this.lookUp(tx, 'BIGINT', 'id', referenced))];
  }

  private lookUp(tx: EntityManager, type: string, column: string, wanted: readonly Wanted[]): Promise<StatusRow[]> {
    return tx.query(
      `SELECT j.ordinal, m.id, m.status, m.account_id AS accountId, m.route_id AS routeId,
         TIMESTAMPDIFF(MICROSECOND, m.sent_at, UTC_TIMESTAMP(3)) DIV 1000 AS ageMs FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal INT PATH '$[0]',
         route_id INT PATH '$[1]', wanted ${type} PATH '$[2]')) j
       JOIN session_messages m ON m.route_id = j.route_id AND m.${column} = j.wanted ${lockOnly('m')}`,
      [jsonRows(wanted)],
    );
  }

  /** Also ends the schedule: a receipt proves that a message has left, even one that was put back. */
  private async write(tx: EntityManager, moved: ReadonlyMap<number, StatusChange>): Promise<void> {
    await tx.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', status INT PATH '$[1]',
         code INT PATH '$[2]', text VARCHAR(${ERROR_LENGTH}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]')) j
       STRAIGHT_JOIN session_messages m FORCE INDEX (PRIMARY) ON m.id = j.id SET m.status = j.status, m.error_code = j.code, m.error_message = j.text, m.due_at = NULL,
         m.updated_at = UTC_TIMESTAMP(3)`,
      [jsonRows([...moved].map(([id, { status, code, text }]) => [id, status, code, text]))],
    );
  }
}

async function keepPricing(
  tx: EntityManager,
  rows: readonly StatusRow[],
  receipts: readonly RoutedReceipt[],
): Promise<void> {
  const priced = rows.flatMap(({ id, ordinal }) => {
    const pricing = receipts[ordinal]?.receipt.pricing;
    return pricing ? [[id, JSON.stringify(pricing)] as const] : [];
  });
  if (priced.length === 0) return;
  await tx.query(
    `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]',
       pricing VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) j
     STRAIGHT_JOIN session_messages m FORCE INDEX (PRIMARY) ON m.id = j.id SET m.pricing = j.pricing`,
    [jsonRows([...new Map(priced)])],
  );
}

/** The engine calls this before it stores a receipt as unmatched. */
@Injectable()
export class SessionReceipts implements ReceiptListener {
  constructor(
    private readonly store: SessionReceiptStore,
    listeners: ReceiptListeners,
  ) {
    listeners.register(this);
  }

  take(tx: EntityManager, receipts: readonly RoutedReceipt[]): Promise<boolean[]> {
    return this.store.apply(tx, receipts);
  }
}
