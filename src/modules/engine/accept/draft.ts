import { BATCH, batchesOf, jsonRows, QuotedText } from '../../../platform/database/index.js';
import { type BalanceName, type UsageShare, UsageTally } from '../../credits/index.js';
import { byIds, chainOf, chainText, MOST_GROUPS, type RouteChain } from '../lanes.js';
import type { RecipientTerms } from '../recipient.js';
import { blockText, OWN_KIND, RECIPIENTS_A_BLOCK, type Variables } from '../state/own-variables.js';
import { acceptanceErrors } from './acceptance.errors.js';

/** What a channel asks the engine to accept: validated, priced, routed. */
export interface CampaignDraft {
  accountId: number;
  channel: string;
  /** a caller-supplied id, or a maker of ids (tried again on a collision) */
  requestId: { given: string } | { make: () => string };
  broadcastName: string;
  service: string;
  routeId: number;
  /** the routes that take over from the campaign's own, in this order; with it they are its chain */
  fallbacks?: readonly number[];
  /** sender id of recipients that have none of their own; absent or null = the route's */
  sender?: string | null;
  /** what kind of message it is; absent or null = none was named */
  category?: string | null;
  content: Record<string, unknown>;
  /** e.g. gsm_credits */
  balance: BalanceName;
  /** credits per recipient; 0 = free */
  unitCredits: number;
  /** cleaned, in order, duplicates as the channel wants them */
  recipients: string[];
  /** as long as `recipients`; absent = all of them have the campaign's */
  terms?: readonly (RecipientTerms | null)[];
  initialState: 'accepted' | 'pending_approval';
  scheduledAt?: Date;
  retryOf?: string;
  /** who sends it (`kernel/maker.ts`); absent = not known */
  createdBy?: string;
  /** SHA-256 over what makes two requests with one caller-supplied id the same */
  fingerprint?: Buffer;
}

/** The engine's answer to a draft. `repeated` = the same caller-supplied id and fingerprint came before; nothing was charged. */
export interface AcceptedCampaign {
  id: number;
  requestId: string;
  totalRows: number;
  /** of a recipient that has no price of its own */
  unitCredits: number;
  /** for all recipients together */
  chargedCredits: number;
  /** of the recipients that have none of their own */
  routeId: number;
  repeated: boolean;
}

/** What the recipients of a draft come to together. */
export interface DraftSum {
  /** credits, for all recipients together */
  charged: number;
  /** the same by calling code and sender */
  usage: readonly UsageShare[];
  /** where some recipient differs from the campaign */
  own?: {
    /** by lane group: the campaign's own, then the further ones, ascending by their ids */
    chains: readonly RouteChain[];
    /** of the recipients, in their order; absent where there is one group */
    groups?: Uint8Array;
    /** whether any has a row of terms: another price, chain or sender */
    hasTerms: boolean;
    /** what sending has to read: a sum of `OWN_KIND` */
    kinds: number;
  };
}

/** Some recipients of a campaign in their order, to be written. */
export interface RecipientPage {
  /** recipients before these: whole blocks of variables */
  from: number;
  /** none where they are written already, and the terms are not */
  numbers: readonly string[];
  /** one of each recipient; absent = all of them have the campaign's */
  terms?: readonly (RecipientTerms | null)[];
  /**
   * Values of the texts' placeholders as they are stored, a text of each hundred recipients; null = none of those has any, absent =
   * none of all.
   */
  blocks?: readonly (string | null)[];
  /** of a retry: their places in the campaign that failed */
  sources?: readonly number[];
}

/** A campaign without its recipients. */
export type DraftHead = Omit<CampaignDraft, 'recipients' | 'terms'>;

/** Whether it leaves as soon as it is stored: without a schedule, and without a release to wait for. */
export const leavesNow = ({ initialState, scheduledAt }: DraftHead): boolean =>
  initialState === 'accepted' && !scheduledAt;

/** What one commit of a large acceptance writes. */
const RECIPIENTS_A_PAGE = 10_000;
/** All others wait for the first page, which takes the campaign's id. */
const RECIPIENTS_FIRST = 1_000;

/** Recipients of the page that begins behind so many. */
export const sizeOfPage = (from: number): number => (from === 0 ? RECIPIENTS_FIRST : RECIPIENTS_A_PAGE);

/** Recipients that are in memory. */
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

/** Values of recipients as they are stored. */
export function blocksOf(variables: readonly (Variables | undefined)[]): (string | null)[] {
  const blocks: (string | null)[] = [];
  for (let from = 0; from < variables.length; from += RECIPIENTS_A_BLOCK) {
    blocks.push(blockText(variables.slice(from, from + RECIPIENTS_A_BLOCK)));
  }
  return blocks;
}

/** First digits that tell every calling code, and how many of them there are. */
const CODE_DIGITS = 3;
const CODES = 10 ** CODE_DIGITS;
/** Below this, arrays cost more than they spare. */
const MANY = 500;

/** Adds up what usage is counted by: of a large campaign, for a recipient under its sender, with two additions. */
export class UsageBuckets {
  private readonly recipients: Uint32Array;
  private readonly credits: Float64Array;
  private readonly tally = new UsageTally();
  private readonly sender: string;
  private readonly size: number;

  /**
   * @param sender the campaign's; none = the route's
   * @param total recipients that there will be
   */
  constructor(sender: string | null | undefined, total: number) {
    this.sender = sender ?? '';
    this.size = total < MANY ? 0 : CODES;
    this.recipients = new Uint32Array(this.size);
    this.credits = new Float64Array(this.size);
  }

  /** @param sender of its own */
  add(number: string, credits: number, sender?: string): void {
    if (credits === 0) return;
    const place = sender === undefined && number.length >= CODE_DIGITS ? placeOf(number) : -1;
    if (place < 0 || place >= this.size) {
      this.tally.add(number, sender ?? this.sender, credits);
      return;
    }
    this.recipients[place] = Number(this.recipients[place]) + 1;
    this.credits[place] = Number(this.credits[place]) + credits;
  }

  /** One share of each calling code and sender. Asked once, when all are added. */
  shares(): UsageShare[] {
    for (const [place, recipients] of this.recipients.entries()) {
      if (recipients === 0) continue;
      const digits = String(place).padStart(CODE_DIGITS, '0');
      this.tally.add(digits, this.sender, Number(this.credits[place]), recipients);
    }
    return this.tally.shares;
  }
}

/** Out of range for what does not begin with digits. */
const placeOf = (number: string): number =>
  (number.charCodeAt(0) - 48) * 100 + (number.charCodeAt(1) - 48) * 10 + (number.charCodeAt(2) - 48);

/** What of a draft its terms go by. */
export type TermsDraft = Pick<
  CampaignDraft,
  'recipients' | 'terms' | 'unitCredits' | 'routeId' | 'fallbacks' | 'sender'
>;

type Common = Pick<TermsDraft, 'unitCredits' | 'routeId'>;

/** Adds up a draft: one pass over its recipients. */
export function sumOf({ recipients, terms, unitCredits, routeId, fallbacks, sender }: TermsDraft): DraftSum {
  const chain = chainOf(routeId, fallbacks);
  const usage = new UsageBuckets(sender, recipients.length);
  if (!terms) {
    for (const number of recipients) usage.add(number, unitCredits);
    return { charged: unitCredits * recipients.length, usage: usage.shares() };
  }
  if (terms.length !== recipients.length) throw new RangeError('terms stand beside the recipients, one each');
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

/** What sending has to read of a recipient besides its route. */
const kindsOf = ({ sender, variables }: Pick<RecipientTerms, 'sender' | 'variables'>): number =>
  (sender === undefined ? 0 : OWN_KIND.senders) | (hasVariables(variables) ? OWN_KIND.variables : 0);

/**
 * @param groups of the recipients, as they were found
 * @param hasTerms whether any differs in price or sender
 * @param kinds of all of them together
 */
export function ownOf(found: FoundChains, groups: Uint8Array, hasTerms: boolean, kinds: number): Pick<DraftSum, 'own'> {
  if (!found.isOne) return { own: { ...found.ascending(groups), hasTerms: true, kinds: kinds | OWN_KIND.routes } };
  return hasTerms || kinds !== 0 ? { own: { chains: [found.first], hasTerms, kinds } } : {};
}

/** The chains of a draft's recipients, as they are found. */
export class FoundChains {
  private readonly chains: RouteChain[];
  private readonly groups: Map<string, number>;

  /** @param first the campaign's own */
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

  /** Whichever came first, the groups of a campaign are in the order of their chains. @param groups as they were found */
  ascending(groups: Uint8Array): { chains: readonly RouteChain[]; groups: Uint8Array } {
    const [own, ...further] = this.chains;
    const chains = [own as RouteChain, ...further.sort(byIds)];
    const places = new Map(chains.map((chain, place) => [chainText(chain), place]));
    const placeOf = [...this.groups.keys()].map((key) => places.get(key) ?? 0);
    return { chains, groups: groups.map((group) => placeOf[group] ?? 0) };
  }
}

/** Rows of `recipient_terms`, each batch as one JSON parameter. */
export function* termsBatches(
  id: number,
  { from, terms }: RecipientPage,
  campaign: Common,
  { own }: DraftSum,
): Generator<QuotedText, void, undefined> {
  if (!terms || !own?.hasTerms) return;
  let rows: unknown[][] = [];
  for (const [at, each] of terms.entries()) {
    const group = own.groups?.[from + at] ?? 0;
    if (!each || (group === 0 && !differs(each, campaign))) continue;
    const { credits = null, sender = null, routeId = null } = each;
    rows.push([id, from + at + 1, group, credits, sender, routeId]);
    if (rows.length < BATCH.rows) continue;
    yield jsonRows(rows);
    rows = [];
  }
  if (rows.length > 0) yield jsonRows(rows);
}

/** A row of `recipient_variables`. */
export type VariablesRow = [id: number, block: number, variables: QuotedText];

/** Rows of `recipient_variables`, each batch of a size that the servers take, whatever the variables hold. */
export const variablesBatches = (id: number, page: RecipientPage): Generator<VariablesRow[], void, undefined> =>
  batchesOf(variablesRows(id, page), ([, , { text }]) => text.length);

function* variablesRows(id: number, { from, blocks }: RecipientPage): Generator<VariablesRow, void, undefined> {
  if (!blocks) return;
  if (from % RECIPIENTS_A_BLOCK !== 0) throw new RangeError('a page begins with a block of variables');
  const first = from / RECIPIENTS_A_BLOCK;
  for (const [place, text] of blocks.entries()) {
    if (text !== null) yield [id, first + place, new QuotedText(text)];
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
