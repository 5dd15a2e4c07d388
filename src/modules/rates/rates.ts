import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { boundedCache, TtlCache, GroupCommit, ONE_TICK } from '../../platform/concurrency/index.js';

/** Credits per segment to numbers with this prefix on a channel. */
export interface Rate {
  channel: string;
  /** digits; '' = every number */
  prefix: string;
  creditsPerSegment: number;
}

export const MOST_ROWS_A_PLAN = 10_000;
export const MOST_CREDITS_A_SEGMENT = 1_000_000;

/** Prices of a plan on one channel. Runs for each recipient: one map lookup per length of prefix. */
export class Pricer {
  private readonly byPrefix = new Map<string, number>();
  private readonly lengths: readonly number[];

  constructor(rates: readonly Omit<Rate, 'channel'>[]) {
    for (const { prefix, creditsPerSegment } of rates) this.byPrefix.set(prefix, creditsPerSegment);
    this.lengths = [...new Set(rates.map(({ prefix }) => prefix.length))].sort((a, b) => b - a);
  }

  /** Credits per segment of the longest matching prefix; null = no row matches. */
  perSegment(number: string): number | null {
    for (const length of this.lengths) {
      const credits = this.byPrefix.get(number.slice(0, length));
      if (credits !== undefined) return credits;
    }
    return null;
  }
}

interface GivenPlan {
  id: number;
  revision: number;
}

interface ReadPlan {
  pricers: ReadonlyMap<string, Pricer>;
  rows: number;
}

const KEPT_MS = 2_000;
/** Limit of cached rows over all plans. */
const MOST_ROWS = 500_000;

/** Prices by rate plans (reference/rates#prices), cached for 2 s. Without plans this costs one query per 2 s. */
@Injectable()
export class Rates {
  private readonly anyPlan = new TtlCache<'any', boolean>(KEPT_MS, 1);
  private readonly given = new TtlCache<number, GivenPlan | null>(KEPT_MS);
  private readonly asked = new GroupCommit<number, GivenPlan | null>((ids) => this.plansOf(ids), ONE_TICK);
  private readonly reading = new TtlCache<string, ReadPlan>(KEPT_MS);
  private readonly plans = boundedCache<string, ReadPlan>(MOST_ROWS, { sizeOf: ({ rows }) => rows + 1 });

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @returns null = no plan, or no rows for the channel: the general price applies */
  async pricerFor(accountId: number, channel: string): Promise<Pricer | null> {
    if (!(await this.anyPlan.get('any', () => this.isAny()))) return null;
    const plan = await this.given.get(accountId, () => this.asked.add(accountId));
    if (!plan) return null;
    const { pricers } = await this.read(plan);
    return pricers.get(channel) ?? null;
  }

  forget(): void {
    this.anyPlan.clear();
    this.given.clear();
  }

  private async isAny(): Promise<boolean> {
    const found: unknown[] = await this.dataSource.query('SELECT 1 FROM rate_plans LIMIT 1');
    return found.length > 0;
  }

  private async plansOf(accountIds: readonly number[]): Promise<(GivenPlan | null)[]> {
    const rows = await this.dataSource.query<(GivenPlan & { accountId: number })[]>(
      `SELECT a.id AS accountId, p.id, p.revision FROM accounts a JOIN rate_plans p ON p.name = a.rate_plan
       WHERE a.id IN (?)`,
      [accountIds],
    );
    const byAccount = new Map(rows.map(({ accountId, id, revision }) => [accountId, { id, revision }]));
    return accountIds.map((id) => byAccount.get(id) ?? null);
  }

  private async read({ id, revision }: GivenPlan): Promise<ReadPlan> {
    const key = `${id} ${revision}`;
    const known = this.plans.get(key);
    if (known) return known;
    const plan = await this.reading.get(key, () => this.load(id));
    this.plans.set(key, plan);
    return plan;
  }

  private async load(id: number): Promise<ReadPlan> {
    const rows = await this.dataSource.query<Rate[]>(
      'SELECT channel, prefix, credits_per_segment AS creditsPerSegment FROM rate_plan_rows WHERE plan_id = ? LIMIT ?',
      [id, MOST_ROWS_A_PLAN],
    );
    const channels = [...new Set(rows.map(({ channel }) => channel))];
    const pricerOf = (name: string): Pricer => new Pricer(rows.filter(({ channel }) => channel === name));
    return { pricers: new Map(channels.map((name) => [name, pricerOf(name)])), rows: rows.length };
  }
}
