import type { LateRule, MessageTags } from '../campaign.js';
import { BATCH, batchesOf, jsonRows, QuotedText } from '../../../platform/database/index.js';
import { type BalanceName, type UsageShare, UsageTally } from '../../credits/index.js';
import { byIds, chainOf, chainText, MOST_GROUPS, type RouteChain } from '../lanes.js';
import type { RecipientTerms } from '../recipient.js';
import { blockText, OWN_KIND, RECIPIENTS_A_BLOCK, type Variables } from '../state/own-variables.js';
import { acceptanceErrors } from './acceptance.errors.js';

/** A validated, priced and routed send that a channel submits to the engine. */
export interface CampaignDraft {
  accountId: number;
  channel: string;
  requestId: { given: string } | { make: () => string };
  broadcastName: string;
  service: string;
  routeId: number;
  /** fallback routes in order; with `routeId` they form the campaign's chain */
  fallbacks?: readonly number[];
  sender?: string | null;
  category?: string | null;
  content: Record<string, unknown>;
  balance: BalanceName;
  /** per recipient; 0 = free */
  unitCredits: number;
  recipients: string[];
  terms?: readonly (RecipientTerms | null)[];
  initialState: 'accepted' | 'pending_approval';
  /** nothing leaves, nothing is charged; absent = live */
  isTest?: boolean;
  scheduledAt?: Date;
  late?: LateRule;
  retryOf?: string;
  createdBy?: string;
  /** only of messages (`reference/messages#send`) */
  tags?: MessageTags;
  /** SHA-256 that identifies a repeated request under the same caller-supplied id */
  fingerprint?: Buffer;
}

/** The engine's answer. `repeated` = the same caller-supplied id and fingerprint came before; nothing was charged. */
export interface AcceptedCampaign {
  id: number;
  requestId: string;
  totalRows: number;
  unitCredits: number;
  chargedCredits: number;
  routeId: number;
  repeated: boolean;
}

/** Totals of a draft. */
export interface DraftSum {
  charged: number;
  usage: readonly UsageShare[];
  own?: {
    /** by lane group: the campaign's own chain first, the others ascending by ids */
    chains: readonly RouteChain[];
    groups?: Uint8Array;
    /** whether any recipient has its own price, chain or sender */
    hasTerms: boolean;
    /** bit sum of `OWN_KIND` */
    kinds: number;
  };
}

export interface RecipientPage {
  /** number of recipients before this page; a multiple of the block size of variables */
  from: number;
  /** empty if the recipients are written and the terms are not */
  numbers: readonly string[];
  /** absent = all have the campaign's terms */
  terms?: readonly (RecipientTerms | null)[];
  /** Placeholder values as stored, one text per hundred recipients; null = none in the block, absent = none at all. */
  blocks?: readonly (string | null)[];
  /** of a retry: their seq in the failed campaign */
  sources?: readonly number[];
}

export type DraftHead = Omit<CampaignDraft, 'recipients' | 'terms'>;

/** Whether sending starts at once: no schedule, no approval. */
export const leavesNow = ({ initialState, scheduledAt }: DraftHead): boolean =>
  initialState === 'accepted' && !scheduledAt;

const RECIPIENTS_A_PAGE = 10_000;
/** The first page is small: all others wait for it, since it reserves the campaign's id. */
const RECIPIENTS_FIRST = 1_000;

export const sizeOfPage = (from: number): number => (from === 0 ? RECIPIENTS_FIRST : RECIPIENTS_A_PAGE);

/** Pages of recipients that are in memory. */
export function* pagesOf({
  recipients,
  terms,
}: Pick<CampaignDraft, 'recipients' | 'terms'>): Generator<RecipientPage, void, undefined> {
  for (let from = 0; from < recipients.length; from += sizeOfPage(from)) {
    const end = from + sizeOfPage(from);
    const some = terms?.slice(from, end);
    const own = some && { terms: some, blocks: blocksOf(some.map((each) => each?.variables)) };
    yield { from, numbers: recipients.slice(from, end), ...own };
  }
}

/** Variables in the stored form, one text per block. */
export function blocksOf(variables: readonly (Variables | undefined)[]): (string | null)[] {
  const blocks: (string | null)[] = [];
  for (let from = 0; from < variables.length; from += RECIPIENTS_A_BLOCK) {
    blocks.push(blockText(variables.slice(from, from + RECIPIENTS_A_BLOCK)));
  }
  return blocks;
}

/** Three leading digits identify every calling code. */
const CODE_DIGITS = 3;
const CODES = 10 ** CODE_DIGITS;
/** Below this size, arrays cost more than they save. */
const MANY = 500;

/** Sums usage by calling code and sender; for large campaigns with two array additions per recipient. */
export class UsageBuckets {
  private readonly recipients: Uint32Array;
  private readonly credits: Float64Array;
  private readonly tally = new UsageTally();
  private readonly sender: string;
  private readonly size: number;

  constructor(sender: string | null | undefined, total: number) {
    this.sender = sender ?? '';
    this.size = total < MANY ? 0 : CODES;
    this.recipients = new Uint32Array(this.size);
    this.credits = new Float64Array(this.size);
  }

  add(number: string, credits: number, sender?: string): void {
    if (credits === 0) return;
    const index = sender === undefined && number.length >= CODE_DIGITS ? bucketOf(number) : -1;
    if (index < 0 || index >= this.size) {
      this.tally.add(number, sender ?? this.sender, credits);
      return;
    }
    this.recipients[index] = Number(this.recipients[index]) + 1;
    this.credits[index] = Number(this.credits[index]) + credits;
  }

  /** One share per calling code and sender. Call once, after the last `add`. */
  shares(): UsageShare[] {
    for (const [index, recipients] of this.recipients.entries()) {
      if (recipients === 0) continue;
      const digits = String(index).padStart(CODE_DIGITS, '0');
      this.tally.add(digits, this.sender, Number(this.credits[index]), recipients);
    }
    return this.tally.shares;
  }
}

/** Out of range if the number does not begin with digits. */
const bucketOf = (number: string): number =>
  (number.charCodeAt(0) - 48) * 100 + (number.charCodeAt(1) - 48) * 10 + (number.charCodeAt(2) - 48);

export type TermsDraft = Pick<
  CampaignDraft,
  'recipients' | 'terms' | 'unitCredits' | 'routeId' | 'fallbacks' | 'sender'
>;

type Common = Pick<TermsDraft, 'unitCredits' | 'routeId'>;

/** Sums a draft in one pass over its recipients. */
export function sumOf({ recipients, terms, unitCredits, routeId, fallbacks, sender }: TermsDraft): DraftSum {
  const chain = chainOf(routeId, fallbacks);
  const usage = new UsageBuckets(sender, recipients.length);
  if (!terms) {
    for (const number of recipients) usage.add(number, unitCredits);
    return { charged: unitCredits * recipients.length, usage: usage.shares() };
  }
  if (terms.length !== recipients.length) throw new RangeError('each recipient has one entry of terms');
  let charged = 0;
  let hasTerms = false;
  let kinds = 0;
  const found = new FoundChains(chain);
  const groups = new Uint8Array(terms.length);
  for (const [at, own] of terms.entries()) {
    const credits = creditsOf(own, unitCredits);
    charged += credits;
    usage.add(recipients[at] ?? '', credits, own?.sender);
    if (!own) continue;
    const { routeId: route, fallbacks: others } = own;
    const isCampaigns = others === undefined && (route === undefined || route === routeId);
    groups[at] = isCampaigns ? 0 : found.groupOf(chainOf(route ?? routeId, others));
    hasTerms ||= differs(own, { unitCredits, routeId });
    kinds |= kindsOf(own);
  }
  return { charged, usage: usage.shares(), ...ownOf(found, groups, hasTerms, kinds) };
}

const kindsOf = ({ sender, variables }: Pick<RecipientTerms, 'sender' | 'variables'>): number =>
  (sender === undefined ? 0 : OWN_KIND.senders) | (hasVariables(variables) ? OWN_KIND.variables : 0);

/** Own terms of a draft, if any. @param hasTerms whether a price or sender differs @param kinds bit sum of `OWN_KIND` */
export function ownOf(found: FoundChains, groups: Uint8Array, hasTerms: boolean, kinds: number): Pick<DraftSum, 'own'> {
  if (!found.isOne) return { own: { ...found.ascending(groups), hasTerms: true, kinds: kinds | OWN_KIND.routes } };
  return hasTerms || kinds !== 0 ? { own: { chains: [found.first], hasTerms, kinds } } : {};
}

/** Collects the distinct route chains of a draft's recipients. */
export class FoundChains {
  private readonly chains: RouteChain[];
  private readonly groups: Map<string, number>;

  constructor(readonly first: RouteChain) {
    this.chains = [first];
    this.groups = new Map([[chainText(first), 0]]);
  }

  get isOne(): boolean {
    return this.chains.length === 1;
  }

  groupOf(chain: RouteChain): number {
    const key = chainText(chain);
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    const group = this.chains.push(chain) - 1;
    if (group >= MOST_GROUPS) throw acceptanceErrors.tooManyChains();
    this.groups.set(key, group);
    return group;
  }

  ascending(groups: Uint8Array): { chains: readonly RouteChain[]; groups: Uint8Array } {
    const [own, ...further] = this.chains;
    const chains = [own as RouteChain, ...further.sort(byIds)];
    const indexes = new Map(chains.map((chain, index) => [chainText(chain), index]));
    const indexOfGroup = [...this.groups.keys()].map((key) => indexes.get(key) ?? 0);
    return { chains, groups: groups.map((group) => indexOfGroup[group] ?? 0) };
  }
}

/** Rows of `recipient_terms`, one JSON parameter per batch. */
export function* termsBatches(
  id: number,
  { from, terms }: RecipientPage,
  campaign: Common & Pick<CampaignDraft, 'isTest'>,
  { own }: DraftSum,
): Generator<QuotedText, void, undefined> {
  if (!terms || !own?.hasTerms) return;
  let rows: unknown[][] = [];
  for (const [at, each] of terms.entries()) {
    const group = own.groups?.[from + at] ?? 0;
    if (!each || (group === 0 && !differs(each, campaign))) continue;
    const { credits = null, sender = null, routeId = null } = each;
    rows.push([id, from + at + 1, group, campaign.isTest ? null : credits, sender, routeId]);
    if (rows.length < BATCH.rows) continue;
    yield jsonRows(rows);
    rows = [];
  }
  if (rows.length > 0) yield jsonRows(rows);
}

export type VariablesRow = [id: number, block: number, variables: QuotedText];

/** Rows of `recipient_variables`, in batches below the server's packet limit. */
export const variablesBatches = (id: number, page: RecipientPage): Generator<VariablesRow[], void, undefined> =>
  batchesOf(variablesRows(id, page), ([, , { text }]) => text.length);

function* variablesRows(id: number, { from, blocks }: RecipientPage): Generator<VariablesRow, void, undefined> {
  if (!blocks) return;
  if (from % RECIPIENTS_A_BLOCK !== 0) throw new RangeError('a page begins with a block of variables');
  const first = from / RECIPIENTS_A_BLOCK;
  for (const [index, text] of blocks.entries()) {
    if (text !== null) yield [id, first + index, new QuotedText(text)];
  }
}

function creditsOf(own: RecipientTerms | null, unitCredits: number): number {
  const credits = own?.credits ?? unitCredits;
  if (!Number.isSafeInteger(credits) || credits < 0) throw new RangeError(`Not an amount of credits: ${credits}`);
  return credits;
}

const differs = ({ credits, sender, routeId }: RecipientTerms, campaign: Common): boolean =>
  (credits ?? campaign.unitCredits) !== campaign.unitCredits ||
  (routeId ?? campaign.routeId) !== campaign.routeId ||
  sender !== undefined;

export function hasVariables(variables: RecipientTerms['variables'] | null): boolean {
  for (const _ in variables) return true;
  return false;
}
