import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../../platform/database/index.js';
import type { Span } from '../domain/selection.js';
import { FIGURES, type Figure } from '../../traffic/index.js';
import { SUBJECT_KINDS, type SubjectKind } from '../domain/subject-kinds.js';
import { COLUMNS, SUMS } from './traffic-columns.js';

/** Figures of one subject and channel in one step. */
export interface TrafficPoint {
  subjectId: number;
  channel: string;
  at: Date;
  figures: Record<Figure, number>;
  receiptAt: Date | null;
}

/** Whose figures; absent ids = those with most traffic. */
export interface Wanted {
  kind: SubjectKind;
  subjectIds?: readonly number[];
  channel?: string | null;
}

type Row = Record<Figure, string> & { subjectId: number; channel: string; at: string; receiptAt: Date | null };

/** Subjects of a list without a key. */
const MOST_SUBJECTS = 20;
/** Rows that the busiest are found among, the newest: beyond them it is a guess, and costs no more. */
const ROWS_LOOKED_AT = 100_000;
const MOST_POINTS = 50_000;

/** Reads stored counters; each statement by one range of an index. */
@Injectable()
export class TrafficReader {
  constructor(private readonly database: ReadDatabase) {}

  /** By subject, channel and step, ascending; steps without anything are missing. */
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
         WHERE kind = ? AND at >= ? AND at < ? ORDER BY at DESC LIMIT ${ROWS_LOOKED_AT}) latest
       GROUP BY subjectId ORDER BY SUM(figures) DESC, subjectId LIMIT ${MOST_SUBJECTS}`,
      [kind, from, to],
    );
    return rows.map(({ subjectId }) => subjectId);
  }
}
