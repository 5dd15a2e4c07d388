import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, ReadDatabase } from '../../platform/database/index.js';
import { type Counts, type Figure, FIGURES, MINUTE_MS, type Tally } from '../traffic/index.js';
import { type Span, SUBJECT_KINDS, type SubjectKind } from './statistics.js';

/** delayMs is delay_ms, within5s is within_5s. */
const columnOf = (figure: Figure): string =>
  figure.replaceAll(/[A-Z]|(?<=within)\d+/g, (part) => `_${part.toLowerCase()}`);

const COLUMNS: readonly string[] = FIGURES.map(columnOf);

const SUMS = FIGURES.map((figure, index) => `SUM(${COLUMNS[index]}) AS ${figure}`).join(', ');

export interface TrafficPoint {
  subjectId: number;
  channel: string;
  at: Date;
  figures: Record<Figure, number>;
  receiptAt: Date | null;
}

export interface Wanted {
  kind: SubjectKind;
  subjectIds?: readonly number[];
  channel?: string | null;
}

type Row = Record<Figure, string> & { subjectId: number; channel: string; at: string; receiptAt: Date | null };

const MOST_SUBJECTS = 20;
/** The newest rows, among which the busiest subjects are found; bounds the cost, and approximates beyond. */
const MOST_ROWS = 100_000;
const MOST_POINTS = 50_000;

@Injectable()
export class TrafficReader {
  constructor(private readonly database: ReadDatabase) {}

  /** By subject, channel and step, ascending; empty steps are missing. */
  async points(
    { kind, subjectIds, channel = null }: Wanted,
    { from, to, stepMs, table }: Span,
  ): Promise<TrafficPoint[]> {
    const ids = subjectIds ?? (kind === SUBJECT_KINDS.channel ? [0] : await this.busiest(kind, { from, to, table }));
    if (ids.length === 0) return [];
    const step = stepMs / 1000;
    const rows = await this.database.query<Row[]>(
      `SELECT subject_id AS subjectId, channel, TIMESTAMPDIFF(SECOND, '1970-01-01', at) DIV ? * ? AS at,
         ${SUMS}, MAX(receipt_at) AS receiptAt
       FROM ${table} FORCE INDEX (PRIMARY)
       WHERE kind = ? AND subject_id IN (?) AND at >= ? AND at < ? ${channel === null ? '' : 'AND channel = ?'}
       GROUP BY subject_id, channel, 3 ORDER BY subject_id, channel, 3 LIMIT ${MOST_POINTS}`,
      [step, step, kind, ids, from, to, ...(channel === null ? [] : [channel])],
    );
    return rows.map(({ subjectId, channel: name, at, receiptAt, ...sums }) => ({
      subjectId,
      channel: name,
      at: new Date(Number(at) * 1000),
      figures: Object.fromEntries(FIGURES.map((figure) => [figure, Number(sums[figure])])) as Record<Figure, number>,
      receiptAt,
    }));
  }

  private async busiest(kind: SubjectKind, { from, to, table }: Omit<Span, 'stepMs'>): Promise<number[]> {
    const all = COLUMNS.slice(0, FIGURES.indexOf('receipts')).join(' + ');
    const rows = await this.database.query<{ subjectId: number }[]>(
      `SELECT subjectId FROM (SELECT subject_id AS subjectId, ${all} AS figures FROM ${table} FORCE INDEX (ix_${table}_at)
         WHERE kind = ? AND at >= ? AND at < ? ORDER BY at DESC LIMIT ${MOST_ROWS}) latest
       GROUP BY subjectId ORDER BY SUM(figures) DESC, subjectId LIMIT ${MOST_SUBJECTS}`,
      [kind, from, to],
    );
    return rows.map(({ subjectId }) => subjectId);
  }
}

/** Reduces collisions of processes that write the same minute of a route. */
const SLOTS = 4;
const HOUR_MS = 60 * MINUTE_MS;
const ROWS_A_STATEMENT = 500;
const STEPS = [
  { table: 'traffic_minutes', ms: MINUTE_MS },
  { table: 'traffic_hours', ms: HOUR_MS },
] as const;

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

/** Adds up counters in few rows, regardless of the number of messages (docs/decisions/0050). */
@Injectable()
export class TrafficStore {
  private readonly slot = randomInt(SLOTS);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Atomic and exactly once: after a lost COMMIT a mark is queried. @throws CommitUnknown: do not write again */
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

/** One row per subject and step, in key order to keep one lock order. */
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
