import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { now } from '../../kernel/clock.js';
import { type Listed, ONE, type Page } from '../../kernel/lists.js';
import { type Account, AccountDirectory, GUARD_KINDS, type GuardTerms } from '../accounts/index.js';
import { Freezes } from './freezes.store.js';
import { GuardCounters, type LimitCount } from './guard-counters.js';
import {
  freezeData,
  type FreezeData,
  type GuardBoundData,
  type GuardData,
  type GuardTermsData,
  ownFreezeData,
} from './guard.dto.js';
import { Guard } from './guard.js';
import { dayOf, limitsOf } from './periods.js';

const SHOWN_FREEZES: Page = { ...ONE, limit: 100 };

/** The terms of an account, what is left of its limits, and its active freezes. */
export class GetGuardQuery extends Query<GuardData> {
  constructor(readonly account: Account) {
    super();
  }
}

@QueryHandler(GetGuardQuery)
export class GetGuardHandler implements IQueryHandler<GetGuardQuery> {
  constructor(
    private readonly guard: Guard,
    private readonly counters: GuardCounters,
    private readonly freezes: Freezes,
  ) {}

  async execute({ account }: GetGuardQuery): Promise<GuardData> {
    const { id, guard, timeZone } = account;
    const bounds = await this.guard.boundsOf(account);
    const { items } = await this.freezes.part(id, true, SHOWN_FREEZES);
    return {
      terms: guard as GuardTermsData | null,
      bounded_by_reseller: bounds.some(({ accountId }) => accountId !== id),
      bounds: guard ? await this.boundsIn(id, guard, timeZone) : [],
      frozen: items.map(ownFreezeData),
    };
  }

  private async boundsIn(accountId: number, terms: GuardTerms, timeZone: string): Promise<GuardBoundData[]> {
    const day = dayOf(timeZone, now()).number;
    const open = { ...terms, credits_per_day: null };
    const limits: LimitCount[] = GUARD_KINDS.flatMap((kind) => limitsOf(kind, open, 0, 0, day));
    const daily: [string, number | null][] = [
      ['credits', terms.credits_per_day],
      ['new', terms.new_prefixes_per_day],
    ];
    for (const [name, limit] of daily) if (limit !== null) limits.push({ name, bucket: day, amount: 0, limit });
    const used = await this.counters.counts(accountId, limits);
    return limits.map(({ name, limit }, index) => {
      const [most, count] = [limit ?? 0, used[index] ?? 0];
      return { name: NAMES[name] ?? name, limit: most, used: count, left: Math.max(0, most - count) };
    });
  }
}

const NAMES: Readonly<Record<string, string>> = { credits: 'credits_per_day', new: 'new_prefixes_per_day' };

/** Freezes, newest first. */
export class ListFreezesQuery extends Query<Listed<FreezeData>> {
  constructor(
    readonly account: Account | null,
    readonly onlyActive: boolean,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListFreezesQuery)
export class ListFreezesHandler implements IQueryHandler<ListFreezesQuery> {
  constructor(
    private readonly freezes: Freezes,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ account, onlyActive, page }: ListFreezesQuery): Promise<Listed<FreezeData>> {
    const listed = await this.freezes.part(account?.id ?? null, onlyActive, page);
    const items = listed.items.map(async (freeze) =>
      freezeData(freeze, (await this.accounts.byId(freeze.accountId))?.username ?? ''),
    );
    return { ...listed, items: await Promise.all(items) };
  }
}
