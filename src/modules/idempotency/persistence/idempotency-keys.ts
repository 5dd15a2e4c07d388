import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { again, inTransaction, type WriteResult } from '../../../platform/database/index.js';
import { type IdempotentRequest, KEPT_HOURS, LEASE_SECONDS } from '../domain/idempotent-request.js';

/** A key that this request holds: whatever it writes is refused once another request holds it. */
export interface HeldKey {
  request: IdempotentRequest;
  token: string;
}

/** What stands under a key: nothing, so that it is ours now; or an earlier request, ended or not. */
export type TakenKey =
  { kind: 'held'; held: HeldKey } | { kind: 'running' } | { kind: 'other_body' } | { kind: 'ended'; outcome: unknown };

interface KeyRow {
  digest: Buffer;
  token: string;
  outcome: string | null;
  free: number;
}

const THIS_KEY = 'account_id = ? AND endpoint = ? AND idempotency_key = ?';
const EXPIRED = `created_at <= UTC_TIMESTAMP(3) - INTERVAL ${KEPT_HOURS} HOUR`;
const LEASE = `UTC_TIMESTAMP(3) + INTERVAL ${LEASE_SECONDS} SECOND`;
const ROUNDS = 5;

const keyOf = ({ accountId, endpoint, key }: IdempotentRequest): unknown[] => [accountId, endpoint, key];

/** The table of idempotency keys. The primary key decides who of many at the same moment works on a request. */
@Injectable()
export class IdempotencyKeys {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Takes a key that is free, whose 24 hours are over, or whose request was broken off without effect.
   * @param leaves the request does what no rollback takes back: broken off, it is never done again
   */
  async take(request: IdempotentRequest, leaves: boolean): Promise<TakenKey> {
    const held: HeldKey = { request, token: randomUUID() };
    const lease = leaves ? 'NULL' : LEASE;
    for (let round = 0; round < ROUNDS; round++) {
      const row = await this.find(request);
      if (row?.token === held.token) return { kind: 'held', held }; // by a statement whose answer was lost
      const taken = row && !Number(row.free) ? this.judge(row, request) : null;
      if (taken) return taken;
      const written: WriteResult = row
        ? await this.dataSource.query(
            again(`UPDATE idempotency_keys SET token = ?, digest = ?, outcome = NULL, lease_until = ${lease},
               created_at = UTC_TIMESTAMP(3) WHERE ${THIS_KEY} AND token = ?`),
            [held.token, request.digest, ...keyOf(request), row.token],
          )
        : await this.dataSource.query(
            again(`INSERT IGNORE INTO idempotency_keys
                 (account_id, endpoint, idempotency_key, digest, token, lease_until, created_at)
               VALUES (?, ?, ?, ?, ?, ${lease}, UTC_TIMESTAMP(3))`),
            [...keyOf(request), request.digest, held.token],
          );
      if (written.affectedRows === 1) return { kind: 'held', held };
    }
    return { kind: 'running' }; // others take and free it all the time
  }

  /**
   * Stores what the answer is made of.
   * @returns false when the key is no longer held, or has an outcome
   */
  async end(tx: EntityManager, { request, token }: HeldKey, outcome: unknown): Promise<boolean> {
    const written: WriteResult = await tx.query(
      `UPDATE idempotency_keys SET outcome = ?, lease_until = NULL
       WHERE ${THIS_KEY} AND token = ? AND outcome IS NULL`,
      [JSON.stringify(outcome), ...keyOf(request), token],
    );
    return written.affectedRows === 1;
  }

  /** As `end`, in a transaction of its own. @returns false as well when it ended by a commit whose answer was lost */
  endAlone(held: HeldKey, outcome: unknown): Promise<boolean> {
    return inTransaction(this.dataSource, (tx) => this.end(tx, held, outcome), { again: 'an outcome is stored once' });
  }

  /** Gives a key back that has no outcome. */
  async free({ request, token }: HeldKey): Promise<void> {
    await inTransaction(this.dataSource, (tx) =>
      tx.query(`DELETE FROM idempotency_keys WHERE ${THIS_KEY} AND token = ? AND outcome IS NULL`, [
        ...keyOf(request),
        token,
      ]),
    );
  }

  private async find(request: IdempotentRequest): Promise<KeyRow | undefined> {
    const rows: KeyRow[] = await this.dataSource.query(
      `SELECT digest, token, outcome, (${EXPIRED} OR (outcome IS NULL AND lease_until <= UTC_TIMESTAMP(3))) AS free
       FROM idempotency_keys WHERE ${THIS_KEY}`,
      keyOf(request),
    );
    return rows[0];
  }

  private judge({ digest, outcome }: KeyRow, request: IdempotentRequest): TakenKey {
    if (!digest.equals(request.digest)) return { kind: 'other_body' };
    return outcome === null ? { kind: 'running' } : { kind: 'ended', outcome: JSON.parse(outcome) as unknown };
  }
}
