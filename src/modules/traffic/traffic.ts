import { Injectable, Module } from '@nestjs/common';
import { now } from '../../kernel/clock.js';

/** Counters of a minute, in the order of the columns (reference/admin#statistics). */
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

export type Counts = Partial<Record<Figure, number>>;

/** Upper bounds of the delay histogram, ascending; longer delays are not counted. */
export const DELAY_BOUNDS: readonly { figure: Figure; ms: number }[] = [
  { figure: 'within5s', ms: 5_000 },
  { figure: 'within30s', ms: 30_000 },
  { figure: 'within2m', ms: 120_000 },
  { figure: 'within10m', ms: 600_000 },
];

export interface TrafficOf {
  routeId: number | null;
  accountId: number | null;
  channel: string;
}

export interface Tally extends TrafficOf {
  minute: number;
  counts: Counts;
}

export const MINUTE_MS = 60_000;
/** Channel of session messages, which belong to no campaign. */
export const SESSION_TRAFFIC = 'session';
/** Limit of a few seconds; counts for new rows are dropped beyond it. */
const MOST_TALLIES = 50_000;

/** Counts since the last write (docs/decisions/0050), added after each commit: never twice; a crash loses seconds. */
@Injectable()
export class Traffic {
  private tallies = new Map<string, Tally>();
  private isTaken = false;

  begin(): void {
    this.isTaken = true;
  }

  get isCounting(): boolean {
    return this.isTaken;
  }

  count(of: TrafficOf, figure: Figure, times = 1): void {
    const counts = this.countsOf(of);
    if (counts) counts[figure] = (counts[figure] ?? 0) + times;
  }

  /** Counts final receipts by their delay in milliseconds. */
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

/** Decouples the features that count from the statistics. */
@Module({ providers: [Traffic], exports: [Traffic] })
export class TrafficModule {}
