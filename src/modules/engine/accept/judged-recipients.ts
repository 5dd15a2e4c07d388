import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { AppError } from '../../../kernel/app-error.js';
import type { RouteChain } from '../../routing/index.js';
import { blockText, OWN_KIND, RECIPIENTS_A_BLOCK, type Variables } from '../state/own-variables.js';
import type { RecipientTerms } from '../state/recipient-terms.js';
import { chainText } from '../state/route-chain.js';
import type { CampaignDraft } from './campaign-draft.js';
import { FoundChains, hasVariables, ownOf } from './own-terms.js';
import { type CommonTerms, faultBy, Faults, type RecipientJudge } from './recipient-judge.js';
import { type DraftRecipients, type RecipientPage, RECIPIENTS_A_PAGE } from './recipient-page.js';
import type { RecipientFault, RecipientSource, SourcedRecipient } from './recipient-source.js';
import { UsageBuckets } from './usage-buckets.js';

/** Recipients that have passed, and what their campaign takes from what most of them have. */
export interface JudgedRecipients extends DraftRecipients {
  /** of the campaign */
  common: CommonTerms;
}

export interface Judging {
  /** the campaign's sender id; none = the route's */
  sender?: string | undefined;
  /** makes the answer when recipients are at fault; absent = what is said of the first */
  refused?: ((faults: readonly RecipientFault[]) => AppError) | undefined;
  /** whether rows are places in a campaign that is sent again */
  isRetry?: boolean;
}

/** For so long the texts of recipients are looked at before others have their turn. */
const AT_ONCE_MS = 8;
/** So many recipients are looked at before the clock is. */
const BETWEEN_LOOKS = 64;

/** Goes through recipients one by one and lets others have their turn in between. */
export async function forEach(source: RecipientSource, visit: (recipient: SourcedRecipient) => void): Promise<void> {
  let until = performance.now() + AT_ONCE_MS;
  let seen = 0;
  for await (const some of source.read()) {
    for (const recipient of some) {
      visit(recipient);
      if (++seen % BETWEEN_LOOKS !== 0 || performance.now() < until) continue;
      await yieldToOthers();
      until = performance.now() + AT_ONCE_MS;
    }
  }
  if (seen !== source.total) throw new Error(`a source of ${source.total} recipients gave ${seen}`);
}

/**
 * The first pass over the recipients of a submission: every one is judged and added up, in a few bytes each, and nothing is
 * written. What is wrong with recipients is gathered for the answer; the second pass writes what has passed.
 * @throws AppError what is wrong with them; unavailable `No route available for this channel`
 */
export async function judge(
  source: RecipientSource,
  judging: RecipientJudge,
  { sender, refused, isRetry = false }: Judging = {},
): Promise<JudgedRecipients> {
  const tally = new RecipientTally(source.total, sender);
  const faults = new Faults();
  const unroutable: AppError[] = [];
  await forEach(source, (recipient) => {
    if (faults.isFull) return;
    try {
      const fault = judging.faultOf(recipient);
      if (fault) faults.add(fault);
      else tally.add(recipient, judging.creditsOf(recipient), judging.isPersonal);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      faults.add(faultBy(recipient, error));
    }
    if (faults.isAny || unroutable.length > 0) return;
    try {
      tally.addChain(judging.chainOf(recipient.number));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unroutable.push(error);
    }
  });
  if (faults.isAny) throw faults.thrown(refused);
  if (unroutable[0]) throw unroutable[0];
  return tally.judged(source, judging.paidFrom, isRetry);
}

/** What is kept of recipients between the passes: five bytes of each. */
class RecipientTally {
  private readonly credits: Uint32Array;
  private readonly groups: Uint8Array;
  private readonly chains: RouteChain[] = [];
  /** how many leave over each chain */
  private readonly leaving: number[] = [];
  private readonly byChain = new Map<RouteChain, number>();
  /** how many cost so much */
  private readonly costing = new Map<number, number>();
  private readonly usage: UsageBuckets;
  private charged = 0;
  private count = 0;
  private kinds = 0;
  private isPersonal = false;

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
    this.isPersonal = isPersonal;
    if (own !== undefined) this.kinds |= OWN_KIND.senders;
    if (isPersonal && hasVariables(recipient.variables)) this.kinds |= OWN_KIND.variables;
    this.credits[this.count] = credits;
    this.charged += credits;
    this.costing.set(credits, (this.costing.get(credits) ?? 0) + 1);
    this.usage.add(recipient.number, credits, own);
    this.count += 1;
  }

  /** Of the recipient that was added last. */
  addChain(chain: RouteChain): void {
    const known = this.byChain.get(chain) ?? this.placeOf(chain);
    this.groups[this.count - 1] = known;
    this.leaving[known] = (this.leaving[known] ?? 0) + 1;
  }

  judged(source: RecipientSource, balance: CampaignDraft['balance'], isRetry: boolean): JudgedRecipients {
    const unitCredits = mostCommon([...this.costing]) ?? 0;
    const usual = mostCommon(this.leaving.map((count, place) => [place, count])) ?? 0;
    const [routeId = 0, ...fallbacks] = this.chains[usual] ?? [];
    const found = new FoundChains(this.chains[usual] ?? []);
    const groupOf = this.chains.map((chain) => found.groupOf(chain));
    const groups = found.isOne ? this.groups : this.groups.map((place) => groupOf[place] ?? 0);
    const hasTerms = this.costing.size > 1 || this.hasSenders;
    const sum = { charged: this.charged, usage: this.usage.shares(), ...ownOf(found, groups, hasTerms, this.kinds) };
    const { total } = this;
    const common = { unitCredits, balance, routeId, ...(fallbacks.length > 0 && { fallbacks }) };
    const judged = { total, sum, common };
    return { ...judged, pages: () => this.pages(source, judged, isRetry) };
  }

  private get hasSenders(): boolean {
    return (this.kinds & OWN_KIND.senders) !== 0;
  }

  private placeOf(chain: RouteChain): number {
    const text = chainText(chain);
    const alike = this.chains.findIndex((each) => chainText(each) === text);
    const place = alike < 0 ? this.chains.push(chain) - 1 : alike;
    if (place > 255) throw new RangeError('a campaign leaves over 256 chains of routes at most');
    this.byChain.set(chain, place);
    return place;
  }

  /** The second pass: the recipients of the source again, with their terms. */
  private async *pages(
    source: RecipientSource,
    { sum: { own }, common }: Omit<JudgedRecipients, 'pages'>,
    isRetry: boolean,
  ): AsyncGenerator<RecipientPage, void, undefined> {
    const hasTerms = own?.hasTerms ?? false;
    const isPersonal = this.isPersonal && own !== undefined;
    const termsOf = (recipient: SourcedRecipient, place: number): RecipientTerms => {
      const credits = this.credits[place];
      const route = own?.groups ? own.chains[own.groups[place] ?? 0]?.[0] : undefined;
      const terms: RecipientTerms = {};
      if (credits !== undefined && credits !== common.unitCredits) terms.credits = credits;
      if (route !== undefined && route !== common.routeId) terms.routeId = route;
      if (recipient.sender !== undefined && recipient.sender !== this.sender) terms.sender = recipient.sender;
      return terms;
    };
    let at = 0;
    let page = newPage(at);
    // a hundred objects live at a time, and not those of a page
    let variables: (Variables | undefined)[] = [];
    for await (const some of source.read()) {
      for (const recipient of some) {
        page.numbers.push(recipient.number);
        if (hasTerms) (page.terms ??= []).push(termsOf(recipient, at));
        if (isPersonal && variables.push(recipient.variables) === RECIPIENTS_A_BLOCK) {
          page.blocks.push(blockText(variables));
          variables = [];
        }
        if (isRetry) (page.sources ??= []).push(recipient.row);
        at += 1;
        if (page.numbers.length < RECIPIENTS_A_PAGE) continue;
        yield page;
        page = newPage(at);
      }
    }
    if (variables.length > 0) page.blocks.push(blockText(variables));
    if (page.numbers.length > 0) yield page;
    if (at !== this.total) throw new Error(`a source of ${this.total} recipients gave ${at} when it was read again`);
  }
}

/** A page in the making. */
interface NewPage extends RecipientPage {
  numbers: string[];
  terms?: RecipientTerms[];
  blocks: (string | null)[];
  sources?: number[];
}

const newPage = (from: number): NewPage => ({ from, numbers: [], blocks: [] });

/** The value that comes most often; of several, the one that came first. */
export function mostCommon(counts: readonly (readonly [value: number, count: number])[]): number | null {
  let most: readonly [value: number, count: number] | null = null;
  for (const each of counts) if (!most || each[1] > most[1]) most = each;
  return most && most[0];
}
