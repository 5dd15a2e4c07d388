import { Inject, Injectable, Logger } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { AppError } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { safeError } from '../../platform/observability/index.js';
import { type Account, AccountDirectory, type GuardKind, type GuardTerms } from '../accounts/index.js';
import { hourOf } from './conversions.js';
import { destinationName, dialledNumber, isAllowed, prefixOf } from './destinations.js';
import { Freezes } from './freezes.store.js';
import { GuardCounters, type LimitCount, MOST_PREFIXES, type Taking, type TakingOutcome } from './guard-counters.js';
import { guardErrors } from './guard.errors.js';
import { dayOf, limitsOf, PERIOD_WORDS, secondsOfMinuteLeft } from './periods.js';
import { seenOf } from './seen-numbers.js';

/** An account whose terms bound a send: the sender, and the resellers above it. */
interface Bound {
  accountId: number;
  terms: GuardTerms;
  timeZone: string;
}

const MOST_PARENTS = 8;
const NOTHING = { newPrefixes: null, burst: null, sequential: null, prefixes: [], numbers: [] };

/** Checks one send before its debit: each recipient first, then all together. */
export class GuardedSend {
  private readonly numbers: string[] = [];
  private count = 0;
  private readonly taken: { accountId: number; limits: readonly LimitCount[] }[] = [];

  constructor(
    private readonly guard: Guard,
    readonly kind: GuardKind,
    private readonly bounds: readonly Bound[],
    private readonly account: Pick<Account, 'id' | 'country' | 'timeZone'>,
    private readonly frozen: ReadonlyMap<string, Date>,
    /** tests a day (0 = no limit), of a test: it is checked as a live send, and counts as a test alone; null = a live send */
    private readonly mostTests: number | null,
  ) {}

  /** Why a recipient is refused; null = it is not, and counts. @param number as it is sent; a chat user's id has no destination */
  refusalOf(number: string): AppError | null {
    this.count += 1;
    if (this.bounds.length === 0) return null;
    const digits = dialledNumber(number, this.account.country);
    if (digits === null) return /^[0-9]/.test(number) ? guardErrors.destination(number.slice(0, 4)) : null;
    if (!this.bounds.every(({ terms }) => isAllowed(terms, digits))) {
      return guardErrors.destination(destinationName(digits));
    }
    if (this.frozen.size > 0 && this.frozen.has(prefixOf(digits))) return guardErrors.frozen(prefixOf(digits));
    this.numbers.push(digits);
    return null;
  }

  /** @throws AppError invalid over `max_price` */
  assertPrice(credits: number): void {
    for (const { terms } of this.bounds) {
      if (terms.max_price !== null && credits > terms.max_price) throw guardErrors.price(credits, terms.max_price);
    }
  }

  /** The least number of calls at once that the terms allow; null = no limit. */
  get callsAtOnce(): number | null {
    const limits = this.bounds.flatMap(({ terms }) => terms.calls_at_once ?? []);
    return this.kind === 'voice' && limits.length > 0 && this.mostTests === null ? Math.min(...limits) : null;
  }

  /** Counts the send for all that bound it, or for none. @throws AppError over a limit; forbidden: its prefix is frozen now */
  async take(credits: number): Promise<void> {
    try {
      for (const bound of this.bounds) await this.takeOf(bound, credits);
      if (this.mostTests) await this.takeTests(this.mostTests);
    } catch (error) {
      await this.giveBack();
      throw error;
    }
  }

  /**
   * Counts the send, then accepts it; takes the counts back if it is refused or a repeat.
   * @param credits of the whole send @throws AppError over a limit, or from `accept`
   */
  async accepting<Accepted extends { repeated: boolean }>(
    credits: number,
    accept: () => Promise<Accepted>,
  ): Promise<Accepted> {
    await this.take(credits);
    try {
      const accepted = await accept();
      if (accepted.repeated) await this.giveBack();
      return accepted;
    } catch (error) {
      // after another fault the send may have been stored
      if (error instanceof AppError) await this.giveBack();
      throw error;
    }
  }

  /** Takes the counts back of a send that was not accepted. */
  async giveBack(): Promise<void> {
    for (const { accountId, limits } of this.taken.splice(0)) await this.guard.giveBack(accountId, limits);
  }

  private async takeOf({ accountId, terms, timeZone }: Bound, credits: number): Promise<void> {
    const day = dayOf(timeZone, now());
    const limits = limitsOf(this.kind, terms, this.count, credits, day.number);
    for (const { name, amount, limit } of limits) {
      if (limit !== null && amount > limit && name !== 'credits')
        throw guardErrors.size(limit, PERIOD_WORDS[name] ?? '');
    }
    if (this.mostTests !== null) return;
    const { new_prefixes_per_day: newPrefixes, burst_numbers: burst, sequential_numbers: sequential } = terms;
    const isSeen = newPrefixes !== null || burst !== null || sequential !== null;
    const seen = isSeen ? seenOf(this.numbers, { burst, sequential }) : null;
    if (newPrefixes !== null && seen && seen.prefixes.length > MOST_PREFIXES)
      throw guardErrors.prefixes(day.secondsLeft);
    if (limits.length === 0 && !seen) return;
    const taking: Taking = {
      ...{ limits, hour: hourOf(now()), day: day.number, newPrefixes, burst, sequential },
      prefixes: newPrefixes !== null || burst !== null ? (seen?.prefixes.slice(0, MOST_PREFIXES) ?? []) : [],
      numbers: seen?.numbers ?? [],
    };
    const found = seen?.sequence ?? null;
    const outcome: TakingOutcome = found
      ? { kind: 'frozen', reason: 'sequence', ...found }
      : await this.guard.counted(accountId, taking);
    if (outcome.kind === 'taken') {
      this.taken.push({ accountId, limits });
      return;
    }
    throw await this.refused(outcome, limits, day.secondsLeft);
  }

  private async takeTests(limit: number): Promise<void> {
    const { id: accountId, timeZone } = this.account;
    const day = dayOf(timeZone, now());
    if (this.count > limit) throw guardErrors.size(limit, 'day');
    const limits = [{ name: 'tests', bucket: day.number, amount: this.count, limit }];
    const outcome = await this.guard.counted(accountId, { ...NOTHING, limits, hour: hourOf(now()), day: day.number });
    if (outcome.kind !== 'taken') throw guardErrors.tests(day.secondsLeft);
    this.taken.push({ accountId, limits });
  }

  private async refused(
    outcome: Exclude<TakingOutcome, { kind: 'taken' }>,
    limits: readonly LimitCount[],
    secondsLeft: number,
  ): Promise<AppError> {
    if (outcome.kind === 'new_prefixes') return guardErrors.prefixes(secondsLeft);
    if (outcome.kind === 'limit') {
      const name = limits[outcome.index]?.name ?? '';
      if (name === 'credits') return guardErrors.credits(secondsLeft);
      if (name.endsWith('per_second')) return guardErrors.second(1);
      return name.endsWith('per_minute') ? guardErrors.minute(secondsOfMinuteLeft()) : guardErrors.day(secondsLeft);
    }
    const { prefix, reason, count } = outcome;
    // The sender is frozen, also where the terms of its reseller are broken.
    await this.guard.freeze(this.account.id, prefix, reason, { numbers: count });
    return guardErrors.frozen(prefix);
  }
}

/** The kind under which sends over routes are limited: all chat together. */
const kindOf = (routes: string): GuardKind => (routes === 'sms' || routes === 'voice' ? routes : 'chat');

/** Checks sends by the terms of their account and of the resellers above it (reference/guard#terms). */
@Injectable()
export class Guard {
  private readonly logger = new Logger(Guard.name);

  constructor(
    private readonly accounts: AccountDirectory,
    private readonly counters: GuardCounters,
    private readonly freezes: Freezes,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'TESTS_PER_DAY'>,
  ) {}

  /** @param routes kind of the channel's routes @returns null when nothing bounds the account, which costs one look into a cache */
  async begin(accountId: number, routes: string, isTest = false): Promise<GuardedSend | null> {
    const account = await this.accounts.byId(accountId);
    if (!account || (account.guard === null && account.parentId === null && !isTest)) return null;
    const bounds = await this.boundsOf(account);
    if (bounds.length === 0 && !isTest) return null;
    const mostTests = isTest ? this.environment.TESTS_PER_DAY : null;
    return new GuardedSend(this, kindOf(routes), bounds, account, await this.freezes.of(accountId), mostTests);
  }

  /** Checks and counts a free message to one recipient, which leaves at once. @throws AppError a refusal of the guard */
  async assertOne(accountId: number, kind: GuardKind, number: string, isTest = false): Promise<void> {
    const send = await this.begin(accountId, kind, isTest);
    const refusal = send?.refusalOf(number);
    if (refusal) throw refusal;
    await send?.take(0);
  }

  /** Checks destinations alone, and counts nothing. @throws AppError the refusal of the first that is refused */
  async assertDestinations(accountId: number, kind: GuardKind, numbers: readonly string[]): Promise<void> {
    const send = await this.begin(accountId, kind);
    if (!send) return;
    for (const number of numbers) {
      const refusal = send.refusalOf(number);
      if (refusal) throw refusal;
    }
  }

  /** The account's own terms first, then those of resellers above it. */
  async boundsOf(account: Account): Promise<Bound[]> {
    const binding = await this.bindingOf(account);
    return binding.flatMap(({ id, guard, timeZone }) => (guard ? { accountId: id, terms: guard, timeZone } : []));
  }

  /** Whether calls of the account show approved callers only: by its own `require_sender`, or that of a reseller above it. */
  async needsApprovedCaller(accountId: number): Promise<boolean> {
    const account = await this.accounts.byId(accountId);
    return account !== null && (await this.bindingOf(account)).some(({ requireSender }) => requireSender);
  }

  private async bindingOf(account: Account): Promise<Account[]> {
    const binding: Account[] = [];
    let next: Account | null = account;
    for (let depth = 0; next && depth < MOST_PARENTS; depth++) {
      if (depth === 0 || next.userType === 'reseller') binding.push(next);
      next = next.parentId === null ? null : await this.accounts.byId(next.parentId);
    }
    return binding;
  }

  counted(accountId: number, taking: Taking): Promise<TakingOutcome> {
    return this.counters.take(accountId, taking);
  }

  giveBack(accountId: number, limits: readonly LimitCount[]): Promise<void> {
    return this.counters.giveBack(accountId, limits);
  }

  /** The send is refused whether or not the freeze can be stored. */
  async freeze(...frozen: Parameters<Freezes['freeze']>): Promise<void> {
    try {
      await this.freezes.freeze(...frozen);
    } catch (error) {
      this.logger.error({ err: safeError(error), account: frozen[0] }, 'a prefix could not be frozen');
    }
  }
}
