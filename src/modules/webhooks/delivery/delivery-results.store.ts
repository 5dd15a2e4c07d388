import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { again, inTransaction, jsonRows, type WriteResult } from '../../../platform/database/index.js';
import { DISABLED_REASONS } from '../webhook.js';
import type { DueDelivery } from './delivery-queue.store.js';

export interface Attempt {
  ok: boolean;
  statusCode: number | null;
  error: string | null;
  answer: string;
  startedAt: Date;
  durationMs: number;
  /** the endpoint wants no more events (410) */
  isGone: boolean;
  heldMs: number | null;
}

export interface DeliveryResult {
  delivery: DueDelivery;
  attempt: Attempt;
  /** milliseconds until the next try; null = delivered or given up */
  waitMs: number | null;
}

// SQL: start of the current ten minutes.
const PERIOD = `'1970-01-01' + INTERVAL TIMESTAMPDIFF(MINUTE, '1970-01-01', UTC_TIMESTAMP()) DIV 10 * 10 MINUTE`;

/** Records tries: the log, the next try, and the endpoint's health. */
@Injectable()
export class DeliveryResults {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Writes one batch of an endpoint; `disableAfterMs` without a success disables it. A healthy row is not updated. */
  async write(
    endpointId: number,
    results: readonly DeliveryResult[],
    wasFailing: boolean,
    disableAfterMs: number,
  ): Promise<void> {
    if (results.length === 0) return;
    const write = async (tx: EntityManager): Promise<number> => {
      const logged = await this.log(tx, endpointId, results);
      await this.settle(tx, endpointId, results);
      await this.count(tx, endpointId, results);
      await this.updateHealth(tx, endpointId, results, wasFailing, disableAfterMs);
      return logged;
    };
    const committed = (id: number) => ({ table: 'webhook_attempts', where: { endpoint_id: endpointId, id } });
    await inTransaction(this.dataSource, write, { committed });
  }

  private async log(tx: EntityManager, endpointId: number, results: readonly DeliveryResult[]): Promise<number> {
    const ids = results.map(newId);
    await tx.query(
      `INSERT INTO webhook_attempts (endpoint_id, id, event_id, type, attempt, status_code, error, answer, duration_ms,
         created_at, next_attempt_at) VALUES ?`,
      [
        results.map(({ delivery, attempt, waitMs }, index) => [
          endpointId,
          ids[index],
          delivery.eventId,
          delivery.type,
          delivery.attempts + 1,
          attempt.statusCode,
          attempt.error,
          attempt.answer,
          attempt.durationMs,
          attempt.startedAt,
          waitMs === null ? null : new Date(attempt.startedAt.getTime() + attempt.durationMs + waitMs),
        ]),
      ],
    );
    return ids[0] as number;
  }

  // No race: only the worker that holds the endpoint writes its row.
  private async count(tx: EntityManager, endpointId: number, results: readonly DeliveryResult[]): Promise<void> {
    const failed = results.filter(({ attempt }) => !attempt.ok).length;
    await tx.query(
      `INSERT INTO webhook_counters (endpoint_id, period, tries, failed, last_success_at)
       VALUES (?, ${PERIOD}, ?, ?, ${failed < results.length ? 'UTC_TIMESTAMP(3)' : 'NULL'})
       ON DUPLICATE KEY UPDATE tries = tries + VALUES(tries), failed = failed + VALUES(failed),
         last_success_at = COALESCE(VALUES(last_success_at), last_success_at)`,
      [endpointId, results.length, failed],
    );
  }

  private async settle(tx: EntityManager, endpointId: number, results: readonly DeliveryResult[]): Promise<void> {
    const over = results.filter(({ waitMs }) => waitMs === null).map(({ delivery }) => delivery);
    let settled = 0;
    if (over.length > 0) {
      const removed: WriteResult = await tx.query(
        `DELETE d FROM JSON_TABLE(?, '$[*]' COLUMNS (
           event_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]', revision BIGINT PATH '$[1]')) j
         STRAIGHT_JOIN webhook_deliveries d FORCE INDEX (PRIMARY)
         ON d.endpoint_id = ? AND d.event_id = j.event_id AND d.revision = j.revision`,
        [jsonRows(over.map(({ eventId, revision }) => [eventId, revision])), endpointId],
      );
      settled += removed.affectedRows;
    }
    if (over.length < results.length) {
      const moved: WriteResult = await tx.query(
        `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
           event_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]', revision BIGINT PATH '$[1]',
           tries INT PATH '$[2]', attempts INT PATH '$[3]', wait_ms BIGINT PATH '$[4]')) j
         STRAIGHT_JOIN webhook_deliveries d FORCE INDEX (PRIMARY)
         ON d.endpoint_id = ? AND d.event_id = j.event_id AND d.revision = j.revision AND d.attempts < j.attempts
         SET d.tries = j.tries, d.attempts = j.attempts, d.due_at = UTC_TIMESTAMP(3) + INTERVAL j.wait_ms * 1000 MICROSECOND`,
        [
          jsonRows(
            results
              .filter(({ waitMs }) => waitMs !== null)
              .map(({ delivery: { eventId, revision, tries, attempts }, waitMs }) => [
                eventId,
                revision,
                tries + 1,
                attempts + 1,
                waitMs,
              ]),
          ),
          endpointId,
        ],
      );
      settled += moved.affectedRows;
    }
    if (settled < results.length) await this.countReplayed(tx, endpointId, results);
  }

  // A delivery that was replayed during the try stays due: only the try is counted.
  private async countReplayed(
    tx: EntityManager,
    endpointId: number,
    results: readonly DeliveryResult[],
  ): Promise<void> {
    await tx.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
         event_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]', attempts INT PATH '$[1]')) j
       STRAIGHT_JOIN webhook_deliveries d FORCE INDEX (PRIMARY)
       ON d.endpoint_id = ? AND d.event_id = j.event_id AND d.attempts < j.attempts SET d.attempts = j.attempts`,
      [jsonRows(results.map(({ delivery: { eventId, attempts } }) => [eventId, attempts + 1])), endpointId],
    );
  }

  private async updateHealth(
    tx: EntityManager,
    endpointId: number,
    results: readonly DeliveryResult[],
    wasFailing: boolean,
    disableAfterMs: number,
  ): Promise<void> {
    const attempts = results.map(({ attempt }) => attempt);
    if (attempts.some(({ isGone }) => isGone)) return this.disable(tx, endpointId, DISABLED_REASONS.gone);
    const heldMs = Math.max(0, ...attempts.map((attempt) => attempt.heldMs ?? 0));
    if (heldMs > 0) {
      await tx.query(
        `UPDATE webhook_endpoints SET held_until = GREATEST(COALESCE(held_until, UTC_TIMESTAMP(3)),
           UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND) WHERE id = ?`,
        [heldMs * 1000, endpointId],
      );
    }
    if (attempts.some(({ ok }) => ok)) {
      if (wasFailing) await tx.query('UPDATE webhook_endpoints SET failing_since = NULL WHERE id = ?', [endpointId]);
      return;
    }
    if (!wasFailing) {
      await tx.query(
        `UPDATE webhook_endpoints SET failing_since = COALESCE(failing_since, UTC_TIMESTAMP(3)) WHERE id = ?`,
        [endpointId],
      );
    }
    const [row] = await tx.query<{ is_over: number }[]>(
      `SELECT failing_since <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND AS is_over FROM webhook_endpoints WHERE id = ?`,
      [disableAfterMs * 1000, endpointId],
    );
    if (Number(row?.is_over) === 1) await this.disable(tx, endpointId, DISABLED_REASONS.failing(disableAfterMs));
  }

  private async disable(tx: EntityManager, endpointId: number, reason: string): Promise<void> {
    await tx.query(
      `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = ?, updated_at = UTC_TIMESTAMP(3)
       WHERE id = ? AND status = 'active'`,
      [reason, endpointId],
    );
  }
}

/** Logs test events, which cannot be replayed. */
@Injectable()
export class TestAttempts {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async log(endpointId: number, eventId: string, type: string, attempt: Attempt): Promise<void> {
    await this.dataSource.query(
      again(`INSERT IGNORE INTO webhook_attempts (endpoint_id, id, event_id, type, attempt, status_code, error, answer,
         duration_ms, created_at, next_attempt_at) VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, NULL)`),
      [
        endpointId,
        newId(),
        eventId,
        type,
        attempt.statusCode,
        attempt.error,
        attempt.answer,
        attempt.durationMs,
        attempt.startedAt,
      ],
    );
  }
}
