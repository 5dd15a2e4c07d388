import { Injectable, Module } from '@nestjs/common';
import { now } from '../../kernel/clock.js';

/** What is counted of a minute, in the order of the columns (reference/admin#statistics). */
export const FIGURES = [
  'sent',
  'delivered',
  'failed',
  'refused',
  'expired',
  'unanswered',
  'unknown',
  'receipts',
  'timed',
  'delayMs',
  'within5s',
  'within30s',
  'within2m',
  'within10m',
  'charged',
  'refunded',
] as const;

export type Figure = (typeof FIGURES)[number];

/** Figures that are not 0. */
export type Counts = Partial<Record<Figure, number>>;

/** Bounds of the histogram of delays, ascending: a receipt counts in the first that holds it, and in none beyond the last. */
export const DELAY_BOUNDS: readonly { figure: Figure; ms: number }[] = [
  { figure: 'within5s', ms: 5_000 },
  { figure: 'within30s', ms: 30_000 },
  { figure: 'within2m', ms: 120_000 },
  { figure: 'within10m', ms: 600_000 },
];

/** Whose figures they are. */
export interface TrafficOf {
  /** null = no route is known */
  routeId: number | null;
  /** null = no account is known */
  accountId: number | null;
  channel: string;
}

/** What a process has counted in a minute of one route, account and channel. */
export interface Tally extends TrafficOf {
  /** its beginning, milliseconds */
  minute: number;
  counts: Counts;
}

export const MINUTE_MS = 60_000;
/** What session messages are counted as: they belong to no campaign, and so to no channel of the engine. */
export const SESSION_TRAFFIC = 'session';
/** Of seconds: what comes then to rows that are not known yet is not counted. */
const MOST_TALLIES = 50_000;

/**
 * What this process has counted since the last write (docs/decisions/0050). Counting is an addition in memory, made once a
 * transaction has committed: nothing is ever counted twice, and a process that is killed loses its last seconds. A process
 * that writes none counts nothing.
 */
@Injectable()
export class Traffic {
  private tallies = new Map<string, Tally>();
  private isTaken = false;

  /** From now on what is counted is taken. */
  begin(): void {
    this.isTaken = true;
  }

  /** False in a process that writes no statistics: nothing needs to be gathered. */
  get isCounting(): boolean {
    return this.isTaken;
  }

  count(of: TrafficOf, figure: Figure, times = 1): void {
    const counts = this.countsOf(of);
    if (counts) counts[figure] = (counts[figure] ?? 0) + times;
  }

  /** Receipts that settled a recipient, by the milliseconds since their message left. */
  delays(of: TrafficOf, delays: readonly number[]): void {
    const counts = this.countsOf(of);
    if (!counts) return;
    for (const ms of delays) {
      counts.timed = (counts.timed ?? 0) + 1;
      counts.delayMs = (counts.delayMs ?? 0) + ms;
      const bound = DELAY_BOUNDS.find((entry) => ms <= entry.ms);
      if (bound) counts[bound.figure] = (counts[bound.figure] ?? 0) + 1;
    }
  }

  /** All that was counted since; it is the caller's now. */
  take(): Tally[] {
    const taken = [...this.tallies.values()];
    this.tallies = new Map();
    return taken;
  }

  private countsOf(of: TrafficOf): Counts | null {
    if (!this.isTaken) return null;
    const minute = Math.floor(now().getTime() / MINUTE_MS) * MINUTE_MS;
    const key = `${minute} ${of.routeId} ${of.accountId} ${of.channel}`;
    const known = this.tallies.get(key);
    if (known) return known.counts;
    if (this.tallies.size >= MOST_TALLIES) return null;
    const { routeId, accountId, channel } = of;
    const made: Tally = { minute, routeId, accountId, channel, counts: {} };
    this.tallies.set(key, made);
    return made.counts;
  }
}

/** The place where features count and statistics take what was counted, without knowing each other. */
@Module({ providers: [Traffic], exports: [Traffic] })
export class TrafficModule {}
