import { blockText, RECIPIENTS_A_BLOCK, type Variables } from '../state/own-variables.js';
import type { RecipientTerms } from '../state/recipient-terms.js';
import type { CampaignDraft } from './campaign-draft.js';

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
