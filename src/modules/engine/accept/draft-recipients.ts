import type { DraftSum } from './draft-sum.js';
import { blocksOf, type RecipientPage } from './recipient-page.js';
import type { Staging } from './staging.js';

/** The recipients of a draft, and what they come to. */
export interface DraftRecipients {
  total: number;
  sum: DraftSum;
  /** of a large send: they were written while they were judged; `pages` has what is missing */
  staging?: Staging;
  /** in order */
  pages(): Iterable<RecipientPage>;
}

/** All recipients of a small draft at once. */
export function wholePage(recipients: DraftRecipients): RecipientPage {
  const all = [...recipients.pages()];
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
