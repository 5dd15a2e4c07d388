import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { type Counts, type Figure, FIGURES, MINUTE_MS, type Tally } from '../../traffic/index.js';
import { SUBJECT_KINDS, type SubjectKind } from '../domain/subject-kinds.js';
import { COLUMNS } from './traffic-columns.js';

/** Processes that write one minute of a route at the same moment meet with one in so many. */
const SLOTS = 4;
const HOUR_MS = 60 * MINUTE_MS;
const ROWS_A_STATEMENT = 500;
const STEPS = [
  { table: 'traffic_minutes', ms: MINUTE_MS },
  { table: 'traffic_hours', ms: HOUR_MS },
] as const;

/** What is added to one row. */
interface Addition {
  kind: SubjectKind;
  subjectId: number;
  at: number;
  channel: string;
  counts: Counts;
}

const ADDED = [...COLUMNS.map((column) => `${column} = ${column} + VALUES(${column})`), newest('receipt_at')].join(
  ', ',
);

/** Writes what processes have counted: additions to a few rows, whatever the number of messages (docs/decisions/0050). */
@Injectable()
export class TrafficStore {
  private readonly slot = randomInt(SLOTS);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * All or nothing, and once: a lost COMMIT is looked up by its mark.
   * @throws CommitUnknown where that could not be asked: it may be there, and must not be written again
   */
  async add(tallies: readonly Tally[]): Promise<void> {
    if (tallies.length === 0) return;
    await inTransaction(this.dataSource, async (tx) => {
      for (const { table, ms } of STEPS) {
        const rows = additions(tallies, ms);
        for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
          await this.write(tx, table, rows.slice(from, from + ROWS_A_STATEMENT));
        }
      }
    });
  }

  private async write(tx: EntityManager, table: string, rows: readonly Addition[]): Promise<void> {
    await tx.query(
      `INSERT INTO ${table} (kind, subject_id, at, channel, slot, ${COLUMNS.join(', ')}, receipt_at) VALUES ?
       ON DUPLICATE KEY UPDATE ${ADDED}`,
      [
        rows.map(({ kind, subjectId, at, channel, counts }) => [
          ...[kind, subjectId, new Date(at), channel, this.slot],
          ...FIGURES.map((figure) => Math.round(counts[figure] ?? 0)),
          counts.receipts ? new Date() : null,
        ]),
      ],
    );
  }
}

function newest(column: string): string {
  return `${column} = GREATEST(COALESCE(${column}, VALUES(${column})), COALESCE(VALUES(${column}), ${column}))`;
}

/** One row a subject and step, in the order of the keys, so that writers of the same rows lock them in one order. */
function additions(tallies: readonly Tally[], stepMs: number): Addition[] {
  const rows = new Map<string, Addition>();
  const add = (kind: SubjectKind, subjectId: number | null, { minute, channel, counts }: Tally): void => {
    if (subjectId === null) return;
    const at = Math.floor(minute / stepMs) * stepMs;
    const key = `${kind} ${String(subjectId).padStart(10, '0')} ${at} ${channel}`;
    let row = rows.get(key);
    if (!row) rows.set(key, (row = { kind, subjectId, at, channel, counts: {} }));
    for (const [figure, times] of Object.entries(counts) as [Figure, number][]) {
      row.counts[figure] = (row.counts[figure] ?? 0) + times;
    }
  };
  for (const tally of tallies) {
    add(SUBJECT_KINDS.account, tally.accountId, tally);
    add(SUBJECT_KINDS.channel, 0, tally);
    add(SUBJECT_KINDS.route, tally.routeId, tally);
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
