import { jsonRows } from '../../../platform/database/index.js';
import { UsageTally, type UsageShare } from '../../credits/index.js';
import { MOST_GROUPS } from '../state/lanes.js';
import type { RecipientTerms } from '../state/recipient-terms.js';
import { byIds, chainOf, chainText, type RouteChain } from '../state/route-chain.js';
import type { CampaignDraft } from './campaign-draft.js';

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
    /** of the recipients, in their order */
    groups: Uint8Array;
  };
}

/** What of a draft its terms go by. */
export type TermsDraft = Pick<
  CampaignDraft,
  'recipients' | 'terms' | 'unitCredits' | 'routeId' | 'fallbacks' | 'sender'
>;

const ROWS_A_BATCH = 5_000;
/** of the variables, in UTF-16 units: even where each takes six bytes in JSON, below the packet of 16 MB that MariaDB takes */
const LENGTH_OF_A_BATCH = 1_000_000;

/** Adds up a draft. */
export function sumOf({ recipients, terms, unitCredits, routeId, fallbacks, sender }: TermsDraft): DraftSum {
  const chain = chainOf(routeId, fallbacks);
  const tally = new UsageTally();
  if (!terms) {
    for (const number of recipients) tally.add(number, sender ?? '', unitCredits);
    return { charged: unitCredits * recipients.length, usage: tally.shares };
  }
  if (terms.length !== recipients.length) throw new RangeError('terms stand beside the recipients, one each');
  let charged = 0;
  let differ = false;
  const found = new FoundChains(chain);
  const groups = new Uint8Array(terms.length);
  for (const [at, own] of terms.entries()) {
    const credits = creditsOf(own, unitCredits);
    charged += credits;
    tally.add(recipients[at] ?? '', own?.sender ?? sender ?? '', credits);
    if (!own) continue;
    const group = found.groupOf(own);
    groups[at] = group;
    differ ||= group !== 0 || differs(own, { unitCredits, routeId });
  }
  const sum = { charged, usage: tally.shares };
  return differ ? { ...sum, own: found.ascending(groups) } : sum;
}

/** The chains of a draft's recipients, as they are found. */
class FoundChains {
  private readonly chains: RouteChain[];
  private readonly groups: Map<string, number>;

  constructor(private readonly own: RouteChain) {
    this.chains = [own];
    this.groups = new Map([[chainText(own), 0]]);
  }

  groupOf({ routeId, fallbacks }: RecipientTerms): number {
    const [campaigns] = this.own;
    if (fallbacks === undefined && (routeId === undefined || routeId === campaigns)) return 0;
    const chain = chainOf(routeId ?? Number(campaigns), fallbacks);
    const key = chainText(chain);
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    const group = this.chains.push(chain) - 1;
    if (group >= MOST_GROUPS) throw new RangeError(`a campaign leaves over ${MOST_GROUPS} chains of routes at most`);
    this.groups.set(key, group);
    return group;
  }

  /** Whichever came first, the groups of a campaign are in the order of their chains. @param groups as they were found */
  ascending(groups: Uint8Array): NonNullable<DraftSum['own']> {
    const [own, ...further] = this.chains;
    const chains = [own as RouteChain, ...further.sort(byIds)];
    const places = new Map(chains.map((chain, place) => [chainText(chain), place]));
    const placeOf = [...this.groups.keys()].map((key) => places.get(key) ?? 0);
    return { chains, groups: groups.map((group) => placeOf[group] ?? 0) };
  }
}

/**
 * Rows of `recipient_terms`, each batch as one JSON parameter of a size that the servers take, whatever the variables hold.
 * @param range places of recipients, 0 = the first; `end` exclusive
 * @param base recipients that the campaign has before those of the draft
 */
export function* termsBatches(
  id: number,
  draft: TermsDraft,
  { own }: DraftSum,
  range = { from: 0, end: draft.recipients.length },
  base = 0,
): Generator<string, void, undefined> {
  if (!draft.terms || !own) return;
  let rows: unknown[][] = [];
  let length = 0;
  for (let at = range.from; at < range.end; at++) {
    const terms = draft.terms[at];
    if (!terms || (!own.groups[at] && !differs(terms, draft))) continue;
    const { credits = null, sender = null, routeId = null } = terms;
    const variables = terms.variables ? JSON.stringify(terms.variables) : null;
    rows.push([id, base + at + 1, own.groups[at], credits, variables, sender, routeId]);
    length += variables?.length ?? 0;
    if (rows.length < ROWS_A_BATCH && length < LENGTH_OF_A_BATCH) continue;
    yield jsonRows(rows);
    [rows, length] = [[], 0];
  }
  if (rows.length > 0) yield jsonRows(rows);
}

function creditsOf(own: RecipientTerms | null, unitCredits: number): number {
  const credits = own?.credits ?? unitCredits;
  if (!Number.isSafeInteger(credits) || credits < 0) throw new RangeError(`Not an amount of credits: ${credits}`);
  return credits;
}

const differs = (
  { credits, variables, sender, routeId }: RecipientTerms,
  campaign: Pick<CampaignDraft, 'unitCredits' | 'routeId'>,
): boolean =>
  (credits ?? campaign.unitCredits) !== campaign.unitCredits ||
  (routeId ?? campaign.routeId) !== campaign.routeId ||
  sender !== undefined ||
  (variables !== undefined && Object.keys(variables).length > 0);
