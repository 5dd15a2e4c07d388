import { Injectable } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { TtlCache } from '../../platform/concurrency/index.js';
import { deliveryRate, figuresOf, sumOf, SUBJECT_KINDS } from './statistics.js';
import { TrafficReader } from './traffic.store.js';

/** Traffic of a route in the last hour. */
export interface RouteFigure {
  /** accepted messages per second, in the last whole minute and the current one */
  perSecond: number;
  sentLastHour: number;
  refusedLastHour: number;
  /** 0 to 1; null without final outcomes */
  deliveryRate: number | null;
  /** mean seconds from send to final receipt; null without any */
  delaySeconds: number | null;
  newestReceiptAt: Date | null;
  /** to the minute */
  newestSendAt: Date | null;
}

const KEPT_MS = 2_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ROUTES_AT_ONCE = 200;

/** Current traffic of routes from the stored counters, up to seven seconds old. */
@Injectable()
export class RouteFigures {
  private readonly cache = new TtlCache<string, ReadonlyMap<number, RouteFigure>>(KEPT_MS);

  constructor(private readonly reader: TrafficReader) {}

  /** Omits routes without traffic in the last hour. */
  of(routeIds: readonly number[]): Promise<ReadonlyMap<number, RouteFigure>> {
    const ids = [...new Set(routeIds)].sort((a, b) => a - b);
    return this.cache.get(ids.join(), () => this.read(ids));
  }

  private async read(ids: readonly number[]): Promise<ReadonlyMap<number, RouteFigure>> {
    const found = new Map<number, RouteFigure>();
    for (let first = 0; first < ids.length; first += ROUTES_AT_ONCE) {
      for (const [id, figure] of await this.readSome(ids.slice(first, first + ROUTES_AT_ONCE))) found.set(id, figure);
    }
    return found;
  }

  private async readSome(ids: readonly number[]): Promise<ReadonlyMap<number, RouteFigure>> {
    const at = now();
    const from = new Date(Math.floor((at.getTime() - HOUR_MS) / MINUTE_MS) * MINUTE_MS);
    const to = new Date(at.getTime() + MINUTE_MS);
    const span = { from, to, stepMs: MINUTE_MS, table: 'traffic_minutes' } as const;
    const points = await this.reader.points({ kind: SUBJECT_KINDS.route, subjectIds: ids }, span);
    const found = new Map<number, RouteFigure>();
    for (const id of ids) {
      const own = points.filter(({ subjectId }) => subjectId === id);
      if (own.length === 0) continue;
      const sum = sumOf(own);
      const since = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
      const lately = own.filter((point) => point.at.getTime() >= since);
      const sends = own.filter(({ figures }) => figures.sent > 0).map((point) => point.at.getTime());
      const receipts = own.flatMap(({ receiptAt }) => (receiptAt ? [receiptAt.getTime()] : []));
      found.set(id, {
        perSecond: sumOf(lately).sent / Math.max(1, (at.getTime() - since) / 1000),
        sentLastHour: sum.sent,
        refusedLastHour: sum.refused,
        deliveryRate: deliveryRate(sum),
        delaySeconds: figuresOf(sum).delay_seconds,
        newestReceiptAt: receipts.length > 0 ? new Date(Math.max(...receipts)) : null,
        newestSendAt: sends.length > 0 ? new Date(Math.max(...sends)) : null,
      });
    }
    return found;
  }
}
