import { Inject, Injectable } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { Channels, RouteQueues } from '../engine/index.js';
import { RouteDirectory, RouteStandings } from '../providers/index.js';
import { SUBJECT_KINDS, type TrafficPoint, TrafficReader } from '../statistics/index.js';
import type { AlarmCheck, Finding } from './alarm-kinds.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PAST_MS = 48 * HOUR_MS;
const ROUTES_AT_ONCE = 200;

export interface RouteTraffic {
  name: string;
  lately: TrafficPoint[];
  past: TrafficPoint[];
}

/** Traffic of routes for the checks: a few key ranges per round. */
@Injectable()
export class RouteTrafficReader {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly reader: TrafficReader,
  ) {}

  async read(sinceMs: number): Promise<RouteTraffic[]> {
    const at = now().getTime();
    const since = Math.floor((at - sinceMs) / MINUTE_MS) * MINUTE_MS;
    const hour = Math.floor(since / HOUR_MS) * HOUR_MS;
    const minutes = { from: new Date(since), to: new Date(at + MINUTE_MS), stepMs: MINUTE_MS } as const;
    const hours = { from: new Date(hour - PAST_MS), to: new Date(hour), stepMs: HOUR_MS } as const;
    const routes = await this.routes.list();
    const found: RouteTraffic[] = [];
    for (let first = 0; first < routes.length; first += ROUTES_AT_ONCE) {
      const some = routes.slice(first, first + ROUTES_AT_ONCE);
      const wanted = { kind: SUBJECT_KINDS.route, subjectIds: some.map(({ id }) => id) };
      const lately = await this.reader.points(wanted, { ...minutes, table: 'traffic_minutes' });
      const past = await this.reader.points(wanted, { ...hours, table: 'traffic_hours' });
      for (const { id, name } of some) {
        const own = ({ subjectId }: TrafficPoint): boolean => subjectId === id;
        found.push({ name, lately: lately.filter(own), past: past.filter(own) });
      }
    }
    return found;
  }
}

const LATELY_MS = 30 * 60_000;
/** Fewer are not significant. */
const FEWEST_NOW = 50;
const FEWEST_BEFORE = 200;

/** A route delivers less than in its own past. Refusals count too, because a carrier may refuse everything. */
@Injectable()
export class DeliveryRateFallen implements AlarmCheck {
  readonly kind = 'delivery_rate_fallen';

  constructor(
    private readonly traffic: RouteTrafficReader,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_DELIVERY_DROP'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_DELIVERY_DROP: drop } = this.environment;
    const found: Finding[] = [];
    for (const { name, lately, past } of await this.traffic.read(LATELY_MS)) {
      const [is, was] = [arrived(lately), arrived(past)];
      if (is.all < FEWEST_NOW || was.all < FEWEST_BEFORE) continue;
      const [percent, before] = [is, was].map(({ delivered, all }) => Math.round((1_000 * delivered) / all) / 10) as [
        number,
        number,
      ];
      if (before - percent < drop) continue;
      const message = `Of route ${name} ${percent} % arrived in the last half hour, ${before} % in the two days before`;
      found.push({ subject: name, message, value: percent, threshold: Math.round(10 * (before - drop)) / 10 });
    }
    return found;
  }
}

function arrived(points: readonly TrafficPoint[]): { delivered: number; all: number } {
  const sum = { delivered: 0, all: 0 };
  for (const { figures } of points) {
    const { delivered, failed, refused, expired, unanswered } = figures;
    sum.delivered += delivered;
    sum.all += delivered + failed + refused + expired + unanswered;
  }
  return sum;
}

/** Fewer messages may all have gone to handsets that are off. */
const FEWEST_SENT = 20;
/** Past receipts from which the route is known to have receipts. */
const RECEIPTS_SILENT_FEWEST_BEFORE = 20;
/** Share of the time without receipts; messages sent later may still be on their way. */
const WAITED_SHARE = 1 / 3;

/** A route that had receipts sends, but receives none. */
@Injectable()
export class ReceiptsSilent implements AlarmCheck {
  readonly kind = 'receipts_silent';

  constructor(
    private readonly traffic: RouteTrafficReader,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_RECEIPTS_SILENT'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_RECEIPTS_SILENT: silentMs } = this.environment;
    const until = now().getTime() - silentMs * WAITED_SHARE;
    const found: Finding[] = [];
    for (const { name, lately, past } of await this.traffic.read(silentMs)) {
      const sent = sumOf(
        lately.filter(({ at }) => at.getTime() <= until),
        'sent',
      );
      if (
        sent < FEWEST_SENT ||
        sumOf(lately, 'receipts') > 0 ||
        sumOf(past, 'receipts') < RECEIPTS_SILENT_FEWEST_BEFORE
      )
        continue;
      const minutes = Math.max(1, Math.round(silentMs / 60_000));
      const message = `Route ${name} has sent ${sent} messages, and no receipt has come for ${minutes} min`;
      found.push({ subject: name, message, value: sent, threshold: FEWEST_SENT });
    }
    return found;
  }
}

const sumOf = (points: readonly TrafficPoint[], figure: 'sent' | 'receipts'): number =>
  points.reduce((sum, { figures }) => sum + figures[figure], 0);

/** A receipt may come before its message is stored. */
const OLDER_THAN_MS = 60_000;
const MOST_COUNTED = 100_000;

/** Many receipts of a route match no message. */
@Injectable()
export class ReceiptsUnmatched implements AlarmCheck {
  readonly kind = 'receipts_unmatched';

  constructor(
    private readonly queues: RouteQueues,
    private readonly routes: RouteDirectory,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_UNMATCHED'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_UNMATCHED: threshold } = this.environment;
    const found: Finding[] = [];
    for (const [id, receipts] of await this.queues.unmatchedReceipts(OLDER_THAN_MS, MOST_COUNTED)) {
      if (receipts < threshold) continue;
      const name = (await this.routes.byId(id))?.name ?? String(id);
      const message = `${receipts} receipts of route ${name} belong to no message`;
      found.push({ subject: name, message, value: receipts, threshold });
    }
    return found;
  }
}

/** No worker can send over a route that staff have not stopped. */
@Injectable()
export class RouteDown implements AlarmCheck {
  readonly kind = 'route_down';

  constructor(
    private readonly routes: RouteDirectory,
    private readonly standings: RouteStandings,
  ) {}

  async find(): Promise<Finding[]> {
    const { of } = await this.standings.read();
    return (await this.routes.list()).flatMap(({ id, name, stopped }): Finding[] => {
      const standing = of.get(id);
      if (stopped || standing?.health !== 'down') return [];
      const message = `Route ${name} is down: ${standing.lastError ?? 'no worker reaches the carrier'}`;
      return [{ subject: name, message, value: null, threshold: null }];
    });
  }
}

/** A route accepts messages, but no worker takes a due one. Routes with a rate limit may have hours of work. */
@Injectable()
export class MessageLate implements AlarmCheck {
  readonly kind = 'message_late';

  constructor(
    private readonly queues: RouteQueues,
    private readonly routes: RouteDirectory,
    private readonly channels: Channels,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_LATE_AFTER'>,
  ) {}

  async find(): Promise<Finding[]> {
    const threshold = this.environment.ALARM_LATE_AFTER / 1000;
    const oldest = new Map<string, number>();
    for (const { channel, routeId, waitedMs, isFree } of await this.queues.oldestDue(this.channels.names)) {
      if (!isFree || (await this.routes.byId(routeId))?.messagesPerSecond) continue;
      oldest.set(channel, Math.max(oldest.get(channel) ?? 0, Math.floor(waitedMs / 1000)));
    }
    return [...oldest].flatMap(([channel, seconds]): Finding[] => {
      if (seconds < threshold) return [];
      const message = `The oldest ${channel} message has been due for ${seconds} s, and no worker has taken it`;
      return [{ subject: channel, message, value: seconds, threshold }];
    });
  }
}
