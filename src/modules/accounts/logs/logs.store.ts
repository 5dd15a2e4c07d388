import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { isTooLargeJson } from '../../../kernel/text.js';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { again, type WriteResult } from '../../../platform/database/index.js';
import { LeaderGate } from '../../../platform/periodic/index.js';
import { safeError } from '../../../platform/observability/index.js';
import type { Account } from '../domain/account.js';
import { AuditEntryEntity, SecurityEntryEntity } from '../tables.js';

export interface AuditRecord {
  /** null = the service itself (seeding) */
  actor: Pick<Account, 'id' | 'username' | 'assignedUser' | 'apiKey'> | null;
  /** `<thing>.<verb>`, such as `route.put`; at most 64 characters */
  action: string;
  subject: string;
  /** another account whose own log shows the entry */
  accountId?: number;
  /** JSON values; never a password, token or secret */
  details: Record<string, unknown>;
}

/** Adds staff's full text to the entry; omits it above 64 KB. */
export const withContent = (
  figures: Record<string, unknown>,
  content: Record<string, unknown>,
): Record<string, unknown> => (isTooLargeJson(content) ? figures : { ...figures, ...content });

/** Writes audit entries in the transaction of their change. */
@Injectable()
export class AuditLog {
  record(tx: EntityManager, record: AuditRecord): Promise<void> {
    return this.recordAll(tx, [record]);
  }

  async recordAll(tx: EntityManager, records: readonly AuditRecord[]): Promise<void> {
    if (records.length === 0) return;
    const createdAt = now();
    const rows = records.map(({ actor, action, subject, accountId, details }) => ({
      actorId: actor?.id ?? null,
      accountId: accountId === undefined || accountId === actor?.id ? null : accountId,
      actor: actor?.username ?? 'system',
      assignedUser: actor?.assignedUser?.username ?? null,
      apiKey: actor?.apiKey?.prefix ?? null,
      action,
      subject: subject.slice(0, 128),
      details: JSON.stringify(details),
      createdAt,
    }));
    await tx.insert(AuditEntryEntity, rows);
  }
}

const WRITTEN_EVERY_MS = 500;
/** Distinct entries buffered between writes; more are counted without name and address. */
const MOST_WAITING = 1_000;
const PRUNED_EVERY_MS = 3_600_000;
const KEPT_DAYS = 90;
const MOST_ENTRIES = 1_000_000;
const PRUNED_AT_ONCE = 10_000;

export type SecurityEvent = 'login' | 'login_failed';

interface Waiting {
  event: SecurityEvent;
  username: string;
  accountId: number | null;
  ip: string;
  times: number;
}

/** Writes logins asynchronously twice a second, merging equal entries; keeps 90 days and at most a million entries. */
@Injectable()
export class SecurityLog implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private waiting = new Map<string, Waiting>();
  private prunedAt = -Infinity;
  private moreToPrune = false;
  private readonly logger = new Logger('SecurityLog');
  private readonly task = new PeriodicTask(
    WRITTEN_EVERY_MS,
    () => this.write(),
    (error) => this.logger.warn({ err: safeError(error) }, 'logins could not be written to the security log'),
  );

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly gate: LeaderGate,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
    await this.write().catch(() => undefined);
  }

  /** `username`: never a password; `accountId` null = no account. */
  record(event: SecurityEvent, username: string, accountId: number | null, ip: string): void {
    const full = this.waiting.size >= MOST_WAITING;
    const entry = full ? { event, username: '', accountId: null, ip: '' } : { event, username, accountId, ip };
    const key = Object.values(entry).join('\n');
    const known = this.waiting.get(key);
    if (known) known.times += 1;
    else this.waiting.set(key, { ...entry, times: 1 });
  }

  private async write(): Promise<void> {
    const written = this.waiting;
    const entries = [...written.values()];
    this.waiting = new Map();
    const createdAt = now();
    if (entries.length > 0) {
      const rows = entries.map((entry) => ({ ...entry, ip: entry.ip.slice(0, 45), createdAt }));
      await this.dataSource.manager.insert(SecurityEntryEntity, rows).catch((error: unknown) => {
        // The next write includes them, bounded.
        for (const [key, entry] of written) {
          const known = this.waiting.get(key);
          if (known) known.times += entry.times;
          else if (this.waiting.size < 2 * MOST_WAITING) this.waiting.set(key, entry);
        }
        throw error;
      });
    }
    if (this.moreToPrune || (await this.isTimeToPrune())) await this.prune();
  }

  /** Once an hour, in one process. */
  private async isTimeToPrune(): Promise<boolean> {
    if (performance.now() - this.prunedAt < PRUNED_EVERY_MS) return false;
    this.prunedAt = performance.now();
    return this.gate.isMine('security-log', PRUNED_EVERY_MS);
  }

  private async prune(): Promise<void> {
    this.moreToPrune = false;
    const old: WriteResult = await this.dataSource.query(
      again(
        `DELETE FROM security_log WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL ${KEPT_DAYS} DAY LIMIT ${PRUNED_AT_ONCE}`,
      ),
    );
    const [last] = await this.dataSource.manager.find(SecurityEntryEntity, { order: { id: 'DESC' }, take: 1 });
    if (!last) return;
    const tooMany: WriteResult = await this.dataSource.query(
      again(`DELETE FROM security_log WHERE id <= ? ORDER BY id LIMIT ${PRUNED_AT_ONCE}`),
      [last.id - MOST_ENTRIES],
    );
    // Continue at the next write, because guessing can add more than one batch an hour.
    this.moreToPrune = old.affectedRows === PRUNED_AT_ONCE || tooMany.affectedRows === PRUNED_AT_ONCE;
  }
}
