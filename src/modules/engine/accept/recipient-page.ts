import { blockText, RECIPIENTS_A_BLOCK, type Variables } from '../state/own-variables.js';
import type { RecipientTerms } from '../state/recipient-terms.js';
import type { CampaignDraft } from './campaign-draft.js';
import type { DraftSum } from './draft-sum.js';

/** Some recipients of a campaign in their order, to be written. */
export interface RecipientPage {
  /** recipients before these: whole blocks of variables */
  from: number;
  numbers: readonly string[];
  /** as long as `numbers`; absent = all of them have the campaign's */
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

/** The recipients of a draft, and what they come to. Nothing in them changes while they are written. */
export interface DraftRecipients {
  total: number;
  sum: DraftSum;
  /** In order, of bounded memory; asked again when an id was taken. */
  pages(): AsyncIterable<RecipientPage> | Iterable<RecipientPage>;
}

/** Recipients of a page: what one commit of a large acceptance writes. */
export const RECIPIENTS_A_PAGE = 10_000;

/** Recipients that are in memory. */
export function* pagesOf({
  recipients,
  terms,
}: Pick<CampaignDraft, 'recipients' | 'terms'>): Generator<RecipientPage, void, undefined> {
  for (let from = 0; from < recipients.length; from += RECIPIENTS_A_PAGE) {
    const end = from + RECIPIENTS_A_PAGE;
    const some = terms?.slice(from, end);
    const own = some && { terms: some, blocks: blocksOf(some.map((each) => each?.variables)) };
    yield { from, numbers: recipients.slice(from, end), ...own };
  }
}

function blocksOf(variables: readonly (Variables | undefined)[]): (string | null)[] {
  const blocks: (string | null)[] = [];
  for (let from = 0; from < variables.length; from += RECIPIENTS_A_BLOCK) {
    blocks.push(blockText(variables.slice(from, from + RECIPIENTS_A_BLOCK)));
  }
  return blocks;
}

/** All recipients of a small draft at once. */
export async function wholePage(recipients: DraftRecipients): Promise<RecipientPage> {
  const all: RecipientPage[] = [];
  for await (const page of recipients.pages()) all.push(page);
  const [first] = all;
  if (first && all.length === 1) return first;
  return {
    from: 0,
    numbers: all.flatMap(({ numbers }) => numbers),
    ...(all.some(({ terms }) => terms) && {
      terms: all.flatMap(({ numbers, terms }) => terms ?? numbers.map(() => null)),
    }),
    ...(all.some(({ blocks }) => blocks) && {
      blocks: all.flatMap(({ numbers, blocks }) => blocks ?? blocksOf(numbers.map(() => undefined))),
    }),
    ...(all.some(({ sources }) => sources) && { sources: all.flatMap(({ sources = [] }) => sources) }),
  };
}
