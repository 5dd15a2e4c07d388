import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { again, inTransaction, type WriteResult } from '../../platform/database/index.js';
import { StaffAccounts } from '../accounts/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import { alarmData, type AlarmKind, type AlarmRow, type Finding, KINDS } from './alarm-kinds.js';

interface OpenRow extends Omit<AlarmRow, 'clearedAt'> {
  state: 'waiting' | 'active';
  seenFor: string;
  goneFor: string;
}

const LONGEST_MESSAGE = 255;
const LONGEST_SUBJECT = 128;
const MOST_OPEN = 1_000;

/** A finding raises an alarm after `ALARM_HOLD`, and its absence clears it after `ALARM_CLEAR`, so that no alarm flaps. */
@Injectable()
export class AlarmStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: CustomerEvents,
    private readonly staff: StaffAccounts,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_HOLD' | 'ALARM_CLEAR'>,
  ) {}

  /** Applies findings to the alarms of a kind. Safe in two processes: each change is conditional. */
  async settle(kind: AlarmKind, findings: readonly Finding[]): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const open = new Map((await this.open(tx, kind)).map((row) => [row.subject, row]));
      const raised: number[] = [];
      const cleared: number[] = [];
      for (const finding of findings.map(cut)) {
        const row = open.get(finding.subject);
        open.delete(finding.subject);
        if (!row) await this.begin(tx, kind, finding, raised);
        else await this.goOn(tx, row, finding, raised);
      }
      for (const row of open.values()) await this.end(tx, row, cleared);
      await this.publish(tx, 'alarm.raised', raised);
      await this.publish(tx, 'alarm.cleared', cleared);
    });
  }

  async kinds(): Promise<ReadonlySet<string>> {
    const rows = await this.dataSource.query<{ kind: string }[]>(
      `SELECT DISTINCT kind FROM (SELECT kind FROM alarms FORCE INDEX (ix_alarms_state)
         WHERE state IN ('waiting', 'active') LIMIT ${MOST_OPEN}) a`,
    );
    return new Set(rows.map(({ kind }) => kind));
  }

  async active(): Promise<Map<string, number>> {
    const rows = await this.dataSource.query<{ kind: string; alarms: string }[]>(
      `SELECT kind, COUNT(*) AS alarms FROM (SELECT kind FROM alarms WHERE state = 'active' LIMIT ${MOST_OPEN}) a GROUP BY kind`,
    );
    return new Map(rows.map(({ kind, alarms }) => [kind, Number(alarms)]));
  }

  private open(tx: EntityManager, kind: AlarmKind): Promise<OpenRow[]> {
    return tx.query(
      `SELECT id, kind, subject, message, value, threshold, raised_at AS raisedAt, state,
         TIMESTAMPDIFF(MICROSECOND, first_seen_at, UTC_TIMESTAMP(3)) / 1000 AS seenFor,
         TIMESTAMPDIFF(MICROSECOND, last_seen_at, UTC_TIMESTAMP(3)) / 1000 AS goneFor
       FROM alarms FORCE INDEX (ix_alarms_state) WHERE state IN ('waiting', 'active') AND kind = ? ORDER BY id LIMIT ${MOST_OPEN}`,
      [kind],
    );
  }

  private async begin(tx: EntityManager, kind: AlarmKind, finding: Finding, raised: number[]): Promise<void> {
    const id = newId();
    const isRaised = this.environment.ALARM_HOLD === 0;
    const { subject, message, value, threshold } = finding;
    const result = await tx.query<WriteResult>(
      `INSERT IGNORE INTO alarms (id, kind, subject_type, subject, open_key, state, message, value, threshold,
         first_seen_at, raised_at, last_seen_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3), ${isRaised ? 'UTC_TIMESTAMP(3)' : 'NULL'}, UTC_TIMESTAMP(3))`,
      [
        ...[id, kind, KINDS[kind].subjectType, subject, `${kind} ${subject}`, isRaised ? 'active' : 'waiting'],
        ...[message, value, threshold],
      ],
    );
    if (isRaised && result.affectedRows === 1) raised.push(id);
  }

  private async goOn(tx: EntityManager, row: OpenRow, finding: Finding, raised: number[]): Promise<void> {
    const { message, value, threshold } = finding;
    await tx.query(
      `UPDATE alarms SET message = ?, value = ?, threshold = ?, last_seen_at = UTC_TIMESTAMP(3)
       WHERE id = ? AND state <> 'past'`,
      [message, value, threshold, row.id],
    );
    if (row.state === 'active' || Number(row.seenFor) < this.environment.ALARM_HOLD) return;
    const { affectedRows }: WriteResult = await tx.query(
      "UPDATE alarms SET state = 'active', raised_at = UTC_TIMESTAMP(3) WHERE id = ? AND state = 'waiting'",
      [row.id],
    );
    if (affectedRows === 1) raised.push(row.id);
  }

  private async end(tx: EntityManager, row: OpenRow, cleared: number[]): Promise<void> {
    if (row.state === 'waiting') {
      await tx.query("DELETE FROM alarms WHERE id = ? AND state = 'waiting'", [row.id]);
      return;
    }
    if (Number(row.goneFor) < this.environment.ALARM_CLEAR) return;
    const { affectedRows }: WriteResult = await tx.query(
      `UPDATE alarms SET state = 'past', cleared_at = UTC_TIMESTAMP(3), open_key = NULL
       WHERE id = ? AND state = 'active'`,
      [row.id],
    );
    if (affectedRows === 1) cleared.push(row.id);
  }

  /** Notifies staff accounts only: former staff may still have a subscription. */
  private async publish(
    tx: EntityManager,
    type: 'alarm.raised' | 'alarm.cleared',
    ids: readonly number[],
  ): Promise<void> {
    if (ids.length === 0 || !this.events.hasSubscribers) return;
    const accounts = await this.staff.ids(tx);
    const rows = await tx.query<AlarmRow[]>(
      `SELECT id, kind, subject, message, value, threshold, raised_at AS raisedAt, cleared_at AS clearedAt
       FROM alarms WHERE id IN (?) ORDER BY id`,
      [ids],
    );
    await this.events.publish(
      tx,
      rows.flatMap((row) =>
        accounts.map((accountId) => ({ accountId, type, body: { event: type, ...alarmData(row) } })),
      ),
    );
  }
}

const cut = (finding: Finding): Finding => ({
  ...finding,
  subject: finding.subject.slice(0, LONGEST_SUBJECT),
  message: finding.message.slice(0, LONGEST_MESSAGE),
});

/** Records that a backup is complete, with the database's clock. */
export async function recordBackup(database: Pick<EntityManager, 'query'>): Promise<void> {
  await database.query(
    again(`INSERT INTO last_backup (id, ended_at) VALUES (1, UTC_TIMESTAMP(3))
      ON DUPLICATE KEY UPDATE ended_at = VALUES(ended_at)`),
  );
}

/** The last backup of the database (docs/operate/backup.md). */
@Injectable()
export class LastBackup {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Seconds since the last backup; null = never. */
  async ageSeconds(): Promise<number | null> {
    const [row] = await this.dataSource.query<{ age: string }[]>(
      `SELECT TIMESTAMPDIFF(MICROSECOND, ended_at, UTC_TIMESTAMP(3)) / 1000000 AS age FROM last_backup WHERE id = 1 LIMIT 1`,
    );
    return row ? Math.max(0, Number(row.age)) : null;
  }
}

export interface DiskOf {
  host: string;
  directory: string;
}

export interface DiskShortage extends DiskOf {
  free: number;
  size: number;
}

/** Processes report every minute: an older shortage is over, or its host is gone. */
const SEEN_SECONDS = 180;
const MOST_SHOWN = 100;

/** Nearly full disks, reported by the processes that use them. */
@Injectable()
export class DiskShortages {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async record({ host, directory, free, size }: DiskShortage): Promise<void> {
    await this.dataSource.query(
      again(`INSERT INTO disk_shortages (host, directory, free_bytes, size_bytes, seen_at)
        VALUES (LEFT(?, 64), LEFT(?, 255), ?, ?, UTC_TIMESTAMP(3))
        ON DUPLICATE KEY UPDATE free_bytes = VALUES(free_bytes), size_bytes = VALUES(size_bytes), seen_at = VALUES(seen_at)`),
      [host, directory, free, size],
    );
  }

  async remove({ host, directory }: DiskOf): Promise<void> {
    await this.dataSource.query(
      again('DELETE FROM disk_shortages WHERE host = LEFT(?, 64) AND directory = LEFT(?, 255)'),
      [host, directory],
    );
  }

  async list(): Promise<DiskShortage[]> {
    const rows = await this.dataSource.query<(DiskOf & { free: string; size: string })[]>(
      `SELECT host, directory, free_bytes AS free, size_bytes AS size FROM disk_shortages
       WHERE seen_at > UTC_TIMESTAMP(3) - INTERVAL ${SEEN_SECONDS} SECOND ORDER BY seen_at DESC LIMIT ${MOST_SHOWN}`,
    );
    return rows.map((row) => ({ ...row, free: Number(row.free), size: Number(row.size) }));
  }
}
