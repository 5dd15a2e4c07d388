import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupCommit } from '../../platform/concurrency/index.js';
import { again, execute, inTransaction, type Statement, type WriteResult } from '../../platform/database/index.js';
import { type IdempotentRequest, KEPT_HOURS, REFS_KEPT_HOURS } from './idempotent-request.js';

/** A key held by this request; its writes fail once another request takes the key over. */
export interface HeldKey {
  request: IdempotentRequest;
  token: string;
}

export type TakenKey =
  { kind: 'held'; held: HeldKey } | { kind: 'running' } | { kind: 'other_body' } | { kind: 'ended'; outcome: unknown };

export interface NewKey {
  request: IdempotentRequest;
  /** token of an expired row to replace; null = no row */
  replaces: string | null;
}

export interface KeyOutcome {
  key: NewKey;
  outcome: unknown;
}

export type EarlierKey = Exclude<TakenKey, { kind: 'held' }> | { kind: 'free'; replaces: string | null };

interface KeyRow {
  digest: Buffer;
  token: string;
  outcome: string | null;
  /** expired after 24 hours, or left by a dead process of an older version (rows with a lease) */
  free: number;
}

const THIS_KEY = 'account_id = ? AND endpoint = ? AND idempotency_key = ?';
const EXPIRED = `created_at <= UTC_TIMESTAMP(3) - INTERVAL IF(endpoint IN ('message_ref', 'test_message_ref'), ${REFS_KEPT_HOURS}, ${KEPT_HOURS}) HOUR`;
const ROUNDS = 5;

/** Looks up the keys of simultaneous requests in one statement. */
const READS = { maxItems: 64, delayMs: 0 };

const keyOf = ({ accountId, endpoint, key }: IdempotentRequest): unknown[] => [accountId, endpoint, key];

const indexed = ({ key: { request } }: KeyOutcome): string =>
  `${String(request.accountId).padStart(10, '0')} ${request.endpoint} ${request.key}`;

/** Stores idempotency keys; the primary key decides which of several simultaneous requests proceeds. */
@Injectable()
export class IdempotencyKeys {
  private readonly reads = new GroupCommit<IdempotentRequest, KeyRow | null>(
    (requests) => this.findAll(requests),
    READS,
  );

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async earlier(request: IdempotentRequest): Promise<EarlierKey> {
    const row = await this.reads.add(request);
    if (!row) return { kind: 'free', replaces: null };
    return Number(row.free) ? { kind: 'free', replaces: row.token } : this.takenBy(row, request);
  }

  /** Stores keys with their effects, sorted by index so that two transactions cannot deadlock; a taken key is a duplicate. */
  statements(outcomes: readonly KeyOutcome[]): Statement[] {
    if (outcomes.length === 0) return [];
    const old = outcomes.flatMap(({ key: { request, replaces } }) => (replaces ? [[...keyOf(request), replaces]] : []));
    const sorted = outcomes.toSorted((a, b) => (indexed(a) < indexed(b) ? -1 : 1));
    const insert = {
      sql: `INSERT INTO idempotency_keys (account_id, endpoint, idempotency_key, digest, token, outcome, created_at)
        VALUES ${sorted.map(() => '(?,?,?,?,?,?,UTC_TIMESTAMP(3))').join(',')}`,
      values: sorted.flatMap(({ key: { request }, outcome }) => [
        ...keyOf(request),
        request.digest,
        randomUUID(),
        JSON.stringify(outcome),
      ]),
    };
    if (old.length === 0) return [insert];
    const sql = `DELETE FROM idempotency_keys WHERE ${old.map(() => `(${THIS_KEY} AND token = ?)`).join(' OR ')}`;
    return [{ sql, values: old.flat() }, insert];
  }

  async storeAlone(outcome: KeyOutcome): Promise<void> {
    await inTransaction(this.dataSource, (tx) => execute(tx, this.statements([outcome])));
  }

  /** Takes a free or expired key for work that cannot be rolled back: interrupted work is never repeated. */
  async take(request: IdempotentRequest): Promise<TakenKey> {
    const held: HeldKey = { request, token: randomUUID() };
    for (let round = 0; round < ROUNDS; round++) {
      const [row] = await this.findAll([request]);
      if (row?.token === held.token) return { kind: 'held', held }; // stored by a statement whose answer was lost
      const taken = row && !Number(row.free) ? this.takenBy(row, request) : null;
      if (taken) return taken;
      const written: WriteResult = row
        ? await this.dataSource.query(
            again(`UPDATE idempotency_keys SET token = ?, digest = ?, outcome = NULL, lease_until = NULL,
               created_at = UTC_TIMESTAMP(3) WHERE ${THIS_KEY} AND token = ?`),
            [held.token, request.digest, ...keyOf(request), row.token],
          )
        : await this.dataSource.query(
            again(`INSERT IGNORE INTO idempotency_keys
                 (account_id, endpoint, idempotency_key, digest, token, created_at)
               VALUES (?, ?, ?, ?, ?, UTC_TIMESTAMP(3))`),
            [...keyOf(request), request.digest, held.token],
          );
      if (written.affectedRows === 1) return { kind: 'held', held };
    }
    return { kind: 'running' }; // other requests take and free it continuously
  }

  /** Stores the outcome. Returns false if the key is no longer held, or already has an outcome. */
  async end(tx: EntityManager, { request, token }: HeldKey, outcome: unknown): Promise<boolean> {
    const written: WriteResult = await tx.query(
      `UPDATE idempotency_keys SET outcome = ?, lease_until = NULL
       WHERE ${THIS_KEY} AND token = ? AND outcome IS NULL`,
      [JSON.stringify(outcome), ...keyOf(request), token],
    );
    return written.affectedRows === 1;
  }

  /** Like `end` in its own transaction; also returns false after a commit whose answer was lost. */
  endAlone(held: HeldKey, outcome: unknown): Promise<boolean> {
    return inTransaction(this.dataSource, (tx) => this.end(tx, held, outcome), { again: 'an outcome is stored once' });
  }

  async free({ request, token }: HeldKey): Promise<void> {
    await inTransaction(this.dataSource, (tx) =>
      tx.query(`DELETE FROM idempotency_keys WHERE ${THIS_KEY} AND token = ? AND outcome IS NULL`, [
        ...keyOf(request),
        token,
      ]),
    );
  }

  private async findAll(requests: readonly IdempotentRequest[]): Promise<(KeyRow | null)[]> {
    const one = `SELECT ? AS ordinal, digest, token, outcome,
         (${EXPIRED} OR (outcome IS NULL AND lease_until <= UTC_TIMESTAMP(3))) AS free
       FROM idempotency_keys WHERE ${THIS_KEY}`;
    const rows: (KeyRow & { ordinal: string })[] = await this.dataSource.query(
      requests.map(() => one).join(' UNION ALL '),
      requests.flatMap((request, index) => [index, ...keyOf(request)]),
    );
    const found = new Map(rows.map((row) => [Number(row.ordinal), row]));
    return requests.map((_, index) => found.get(index) ?? null);
  }

  private takenBy({ digest, outcome }: KeyRow, request: IdempotentRequest): Exclude<TakenKey, { kind: 'held' }> {
    if (!digest.equals(request.digest)) return { kind: 'other_body' };
    return outcome === null ? { kind: 'running' } : { kind: 'ended', outcome: JSON.parse(outcome) as unknown };
  }
}
