import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { fieldErrors } from '../../kernel/errors.js';
import { TtlCache } from '../../platform/concurrency/index.js';
import { AccountDirectory } from '../accounts/index.js';
import { Channels } from '../engine/index.js';
import { RouteDirectory } from '../providers/index.js';
import { SESSION_TRAFFIC } from '../traffic/index.js';
import type { SeriesAnswer, StatisticsAnswerData } from './statistics.dto.js';
import { figuresOf, type Group, type Range, type Span, SUBJECT_KINDS, sumOf } from './statistics.js';
import { type TrafficPoint, TrafficReader, type Wanted } from './traffic.store.js';

/** Counters per step. Throws 400 `key is invalid` for an unknown name. */
export class GetStatisticsQuery extends Query<StatisticsAnswerData> {
  /** @param key null = those with most traffic @param accountId that account by channel; null = the whole house */
  constructor(
    readonly range: Range,
    readonly by: Group,
    readonly key: string | null,
    readonly span: Span,
    readonly accountId: number | null,
  ) {
    super();
  }
}

/** Counters are written every five seconds, so all readers share a result for that time. */
const KEPT_MS = 5_000;
/** Ranges in the cache; the longest have some thousand steps. */
const MOST_KEPT = 50;

interface Named {
  key: string;
  channel: string | null;
}

@QueryHandler(GetStatisticsQuery)
export class GetStatisticsHandler implements IQueryHandler<GetStatisticsQuery> {
  private readonly kept = new TtlCache<string, StatisticsAnswerData>(KEPT_MS, MOST_KEPT);

  constructor(
    private readonly reader: TrafficReader,
    private readonly routes: RouteDirectory,
    private readonly accounts: AccountDirectory,
    private readonly channels: Channels,
  ) {}

  async execute(query: GetStatisticsQuery): Promise<StatisticsAnswerData> {
    const { range, by, span } = query;
    const wanted = await this.wanted(query);
    return this.kept.get(JSON.stringify([range, by, span, wanted]), () => this.read(query, wanted));
  }

  forget(): void {
    this.kept.clear();
  }

  private async read({ range, by, span }: GetStatisticsQuery, wanted: Wanted): Promise<StatisticsAnswerData> {
    const points = await this.reader.points(wanted, span);
    const series: SeriesAnswer[] = [];
    for (const [, group] of grouped(points, by)) {
      const name = await this.nameOf(by, group);
      if (name) series.push(seriesOf(name, group, by !== 'route'));
    }
    series.sort((a, b) => b.totals.sent - a.totals.sent || (a.key < b.key ? -1 : 1));
    return {
      range,
      by,
      step_seconds: span.stepMs / 1000,
      from: span.from.toISOString(),
      to: span.to.toISOString(),
      series,
    };
  }

  private async wanted({ by, key, accountId }: GetStatisticsQuery): Promise<Wanted> {
    if (by === 'channel') {
      if (key !== null && key !== SESSION_TRAFFIC && !this.channels.names.includes(key))
        throw fieldErrors.invalid('key');
      if (accountId !== null) return { kind: SUBJECT_KINDS.account, subjectIds: [accountId], channel: key };
      return { kind: SUBJECT_KINDS.channel, channel: key };
    }
    if (key === null) return { kind: SUBJECT_KINDS[by] };
    const found = await (by === 'route' ? this.routes.byName(key) : this.accounts.byUsername(key));
    if (!found) throw fieldErrors.invalid('key');
    return { kind: SUBJECT_KINDS[by], subjectIds: [found.id] };
  }

  /** @returns null for a deleted subject */
  private async nameOf(by: Group, points: readonly TrafficPoint[]): Promise<Named | null> {
    const [first] = points;
    if (!first) return null;
    const { subjectId, channel } = first;
    if (by === 'channel') return { key: channel, channel };
    if (by === 'account') {
      const account = await this.accounts.byId(subjectId);
      return account && { key: account.username, channel: null };
    }
    const route = await this.routes.byId(subjectId);
    // a chat account has templates and session messages
    const isOfOne = points.every((point) => point.channel === channel);
    return route && { key: route.name, channel: isOfOne ? channel : null };
  }
}

function grouped(points: readonly TrafficPoint[], by: Group): Map<string, TrafficPoint[]> {
  const groups = new Map<string, TrafficPoint[]>();
  for (const point of points) {
    const key = by === 'channel' ? point.channel : String(point.subjectId);
    const group = groups.get(key);
    if (group) group.push(point);
    else groups.set(key, [point]);
  }
  return groups;
}

function seriesOf({ key, channel }: Named, points: readonly TrafficPoint[], hasCredits: boolean): SeriesAnswer {
  const steps = new Map<number, TrafficPoint[]>();
  for (const point of points) steps.set(point.at.getTime(), [...(steps.get(point.at.getTime()) ?? []), point]);
  const receipts = points.flatMap(({ receiptAt }) => (receiptAt ? [receiptAt.getTime()] : []));
  return {
    key,
    channel,
    totals: figuresOf(sumOf(points), hasCredits),
    newest_receipt_at: receipts.length > 0 ? new Date(Math.max(...receipts)).toISOString() : null,
    points: [...steps]
      .sort(([a], [b]) => a - b)
      .map(([at, own]) => ({ at: new Date(at).toISOString(), ...figuresOf(sumOf(own), hasCredits) })),
  };
}
