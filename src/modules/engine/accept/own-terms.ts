import { BATCH, batchesOf, jsonRows, QuotedText } from '../../../platform/database/index.js';
import { MOST_GROUPS } from '../state/lanes.js';
import { OWN_KIND, RECIPIENTS_A_BLOCK } from '../state/own-variables.js';
import type { RecipientTerms } from '../state/recipient-terms.js';
import { byIds, chainOf, chainText, type RouteChain } from '../state/route-chain.js';
import { acceptanceErrors } from './acceptance.errors.js';
import type { CampaignDraft } from './campaign-draft.js';
import type { DraftSum } from './draft-sum.js';
import type { RecipientPage } from './recipient-page.js';
import { UsageBuckets } from './usage-buckets.js';

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
