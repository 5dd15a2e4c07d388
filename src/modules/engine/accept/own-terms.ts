import { jsonRows } from '../../../platform/database/index.js';
import { MOST_GROUPS } from '../state/lanes.js';
import type { RecipientTerms } from '../state/recipient-terms.js';
import type { CampaignDraft } from './campaign-draft.js';

/** What the recipients of a draft come to together. */
export interface DraftSum {
  /** credits, for all recipients together */
  charged: number;
  /** where some recipient differs from the campaign */
  own?: {
    /** by lane group: the campaign's own, then the further ones, ascending */
    routes: readonly number[];
    /** of the recipients, in their order */
    groups: Uint8Array;
  };
}

/** What of a draft its terms go by. */
export type TermsDraft = Pick<CampaignDraft, 'recipients' | 'terms' | 'unitCredits' | 'routeId'>;

const ROWS_A_BATCH = 5_000;
/** of the variables, in UTF-16 units: even where each takes six bytes in JSON, below the packet of 16 MB that MariaDB takes */
const LENGTH_OF_A_BATCH = 1_000_000;

/** Adds up a draft: one pass over the terms, none where it has none. */
export function sumOf({ recipients, terms, unitCredits, routeId }: TermsDraft): DraftSum {
  if (!terms) return { charged: unitCredits * recipients.length };
  if (terms.length !== recipients.length) throw new RangeError('terms stand beside the recipients, one each');
  let charged = 0;
  let differ = false;
  const further = new Set<number>();
  for (const own of terms) {
    charged += creditsOf(own, unitCredits);
    if (!own || !differs(own, { unitCredits, routeId })) continue;
    differ = true;
    if (own.routeId !== undefined && own.routeId !== routeId) further.add(own.routeId);
  }
  if (!differ) return { charged };
  const routes = [routeId, ...[...further].sort((a, b) => a - b)];
  if (routes.length > MOST_GROUPS) throw new RangeError(`a campaign leaves over ${MOST_GROUPS} routes at most`);
  const groupOf = new Map(routes.map((route, group) => [route, group]));
  const groups = Uint8Array.from(terms, (own) => groupOf.get(own?.routeId ?? routeId) ?? 0);
  return { charged, own: { routes, groups } };
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
    if (!terms || !differs(terms, draft)) continue;
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
