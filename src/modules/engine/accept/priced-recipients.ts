import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { AppError } from '../../../kernel/errors.js';
import type { RouteChain } from '../../routing/index.js';
import { chainText, MOST_GROUPS } from '../lanes.js';
import type { RecipientTerms } from '../recipient.js';
import { blockText, OWN_KIND, RECIPIENTS_A_BLOCK, type Variables } from '../state/own-variables.js';
import { acceptanceErrors } from './acceptance.errors.js';
import {
  type CampaignDraft,
  FoundChains,
  hasVariables,
  ownOf,
  type RecipientPage,
  sizeOfPage,
  UsageBuckets,
} from './draft.js';
import type { DraftRecipients, LargeDraft } from './large-drafts.js';
import {
  type CommonTerms,
  faultBy,
  Faults,
  type RecipientFault,
  type RecipientPricer,
  type RecipientSource,
  type SourcedRecipient,
} from './pricing.js';

/** Validated recipients with the terms that most of them share. */
export interface PricedRecipients extends DraftRecipients {
  common: CommonTerms;
}

export interface PricingOptions {
  sender?: string | undefined;
  /** makes the error for faulty recipients; absent = the error of the first one */
  refused?: ((faults: readonly RecipientFault[]) => AppError) | undefined;
  isRetry?: boolean;
  largeDraft?: LargeDraft | null;
}

/** Pricing yields to the event loop after this time. */
const AT_ONCE_MS = 8;
const BETWEEN_CLOCK_READS = 64;

/** Visits recipients one by one and yields to the event loop in between; awaits a promise of `visit` before the next one. */
export async function forEach(
  source: RecipientSource,
  visit: (recipient: SourcedRecipient) => Promise<void> | void,
): Promise<void> {
  let until = performance.now() + AT_ONCE_MS;
  let seen = 0;
  for await (const some of source.read()) {
    for (const recipient of some) {
      const waiting = visit(recipient);
      if (waiting) await waiting;
      if (++seen % BETWEEN_CLOCK_READS !== 0 || performance.now() < until) continue;
      await yieldToOthers();
      until = performance.now() + AT_ONCE_MS;
    }
  }
  if (seen !== source.total) throw new Error(`a source of ${source.total} recipients gave ${seen}`);
}

/**
 * Validates and prices every recipient, and writes a large send page by page until the first fault.
 * @throws AppError the faults; `No route available for this channel`; `Recipients leave over more than 256 chains of routes`
 */
export async function priceRecipients(
  source: RecipientSource,
  pricer: RecipientPricer,
  { sender, refused, isRetry = false, largeDraft = null }: PricingOptions = {},
): Promise<PricedRecipients> {
  const making = new PagesInMaking(pricer.isPersonal, isRetry);
  const tally = new RecipientTally(source.total, sender);
  const faults = new Faults();
  const unroutable: AppError[] = [];
  const kept: RecipientPage[] = [];
  const handOn = (): Promise<void> | undefined => {
    const page = making.next();
    if (!page) return undefined;
    if (largeDraft) return largeDraft.take(page, { charged: tally.charged, balance: pricer.paidFrom });
    kept.push(page);
    return undefined;
  };
  await forEach(source, (recipient) => {
    if (faults.isFull) return undefined;
    try {
      const fault = pricer.faultOf(recipient);
      if (fault) faults.add(fault);
      else tally.add(recipient, pricer.creditsOf(recipient), pricer.isPersonal);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      faults.add(faultBy(recipient, error));
    }
    if (faults.isAny || unroutable.length > 0) return undefined;
    try {
      tally.addChain(pricer.chainOf(recipient.number));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unroutable.push(error);
      return undefined;
    }
    return making.add(recipient) ? handOn() : undefined;
  });
  if (faults.isAny) throw faults.thrown(refused);
  if (unroutable[0]) throw unroutable[0];
  await handOn();
  return { ...tally.priced(pricer.paidFrom, kept), ...(largeDraft && { largeDraft }) };
}

class PagesInMaking {
  private page = newPage(0);
  private variables: (Variables | undefined)[] = [];

  constructor(
    private readonly isPersonal: boolean,
    private readonly isRetry: boolean,
  ) {}

  add({ number, variables, row }: SourcedRecipient): boolean {
    const { page } = this;
    page.numbers.push(number);
    if (this.isPersonal && this.variables.push(variables) === RECIPIENTS_A_BLOCK) this.endBlock();
    if (this.isRetry) (page.sources ??= []).push(row);
    return page.numbers.length === sizeOfPage(page.from);
  }

  /** Takes the page and begins the next one; null = empty. */
  next(): RecipientPage | null {
    const { page } = this;
    if (page.numbers.length === 0) return null;
    if (this.variables.length > 0) this.endBlock();
    this.page = newPage(page.from + page.numbers.length);
    return page;
  }

  private endBlock(): void {
    (this.page.blocks ??= []).push(blockText(this.variables));
    this.variables = [];
  }
}

/** Sums recipients and keeps their terms in five bytes each, plus senders that differ. */
class RecipientTally {
  private readonly credits: Uint32Array;
  private readonly groups: Uint8Array;
  private readonly chains: RouteChain[] = [];
  private readonly leaving: number[] = [];
  private readonly byChain = new Map<RouteChain, number>();
  private readonly costing = new Map<number, number>();
  private readonly usage: UsageBuckets;
  private readonly senders = new Map<number, string>();
  private count = 0;
  private kinds = 0;
  charged = 0;

  constructor(
    private readonly total: number,
    private readonly sender: string | undefined,
  ) {
    this.credits = new Uint32Array(total);
    this.groups = new Uint8Array(total);
    this.usage = new UsageBuckets(sender, total);
  }

  add(recipient: SourcedRecipient, credits: number, isPersonal: boolean): void {
    if (!Number.isSafeInteger(credits) || credits < 0) throw new RangeError(`Not an amount of credits: ${credits}`);
    const { sender = this.sender } = recipient;
    const own = sender === this.sender ? undefined : sender;
    if (own !== undefined) this.senders.set(this.count, own);
    if (isPersonal && hasVariables(recipient.variables)) this.kinds |= OWN_KIND.variables;
    this.credits[this.count] = credits;
    this.charged += credits;
    this.costing.set(credits, (this.costing.get(credits) ?? 0) + 1);
    this.usage.add(recipient.number, credits, own);
    this.count += 1;
  }

  addChain(chain: RouteChain): void {
    const known = this.byChain.get(chain) ?? this.addChainIndex(chain);
    this.groups[this.count - 1] = known;
    this.leaving[known] = (this.leaving[known] ?? 0) + 1;
  }

  priced(balance: CampaignDraft['balance'], kept: readonly RecipientPage[]): PricedRecipients {
    const { total } = this;
    if (this.count !== total) throw new Error(`of ${total} recipients ${this.count} were priced`);
    const unitCredits = mostCommon([...this.costing]) ?? 0;
    const usual = mostCommon(this.leaving.map((count, index) => [index, count])) ?? 0;
    const [routeId = 0, ...fallbacks] = this.chains[usual] ?? [];
    const found = new FoundChains(this.chains[usual] ?? []);
    const groupOf = this.chains.map((chain) => found.groupOf(chain));
    const groups = found.isOne ? this.groups : this.groups.map((index) => groupOf[index] ?? 0);
    const hasTerms = this.costing.size > 1 || this.senders.size > 0;
    const kinds = this.kinds | (this.senders.size > 0 ? OWN_KIND.senders : 0);
    const sum = { charged: this.charged, usage: this.usage.shares(), ...ownOf(found, groups, hasTerms, kinds) };
    const common = { unitCredits, balance, routeId, ...(fallbacks.length > 0 && { fallbacks }) };
    const priced = { total, sum, common };
    return { ...priced, pages: () => this.pages(kept, priced) };
  }

  private addChainIndex(chain: RouteChain): number {
    const text = chainText(chain);
    const alike = this.chains.findIndex((each) => chainText(each) === text);
    const index = alike < 0 ? this.chains.push(chain) - 1 : alike;
    if (index >= MOST_GROUPS) throw acceptanceErrors.tooManyChains();
    this.byChain.set(chain, index);
    return index;
  }

  /** For pages already written, yields only their terms. */
  private *pages(
    kept: readonly RecipientPage[],
    { sum: { own }, common }: Pick<PricedRecipients, 'sum' | 'common'>,
  ): Generator<RecipientPage, void, undefined> {
    if (!own?.hasTerms) {
      yield* kept;
      return;
    }
    const termsOf = (index: number): RecipientTerms => {
      const [credits, sender] = [this.credits[index], this.senders.get(index)];
      const route = own.groups ? own.chains[own.groups[index] ?? 0]?.[0] : undefined;
      const terms: RecipientTerms = {};
      if (credits !== undefined && credits !== common.unitCredits) terms.credits = credits;
      if (route !== undefined && route !== common.routeId) terms.routeId = route;
      if (sender !== undefined) terms.sender = sender;
      return terms;
    };
    for (let from = 0, at = 0; from < this.total; from += sizeOfPage(from), at++) {
      const page = kept[at] ?? { from, numbers: [] };
      const count = Math.min(sizeOfPage(from), this.total - from);
      yield { ...page, terms: Array.from({ length: count }, (_, index) => termsOf(from + index)) };
    }
  }
}

interface NewPage extends RecipientPage {
  numbers: string[];
  blocks?: (string | null)[];
  sources?: number[];
}

const newPage = (from: number): NewPage => ({ from, numbers: [] });

/** The most frequent value; on a tie the first. */
export function mostCommon(counts: readonly (readonly [value: number, count: number])[]): number | null {
  let most: readonly [value: number, count: number] | null = null;
  for (const each of counts) if (!most || each[1] > most[1]) most = each;
  return most && most[0];
}
