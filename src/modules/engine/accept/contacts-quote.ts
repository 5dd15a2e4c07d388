import type { Pricer } from '../../rates/index.js';
import type { MessageQuote } from '../channel.js';
import { forEach, mostCommon } from './judged-recipients.js';
import { sourceOf } from './recipient-source.js';

/** What contacts would be charged for a message that is the same for all of them. */
export interface ContactsQuote {
  /** for all of them together */
  credits: number;
  /** what each of them costs; where they differ, what most of them do */
  unitCredits: number;
}

/**
 * As `RecipientJudge` prices a send to them.
 * @param pricer null = the account pays what everyone pays
 */
export async function contactsQuoteOf(
  { unitCredits, segments }: Pick<MessageQuote, 'unitCredits' | 'segments'>,
  pricer: Pricer | null,
  numbers: readonly string[],
): Promise<ContactsQuote> {
  if (!pricer) return { credits: unitCredits * numbers.length, unitCredits };
  const costing = new Map<number, number>();
  await forEach(sourceOf(numbers), ({ number }) => {
    const each = pricer.perSegment(number);
    const credits = each === null ? unitCredits : each * segments;
    costing.set(credits, (costing.get(credits) ?? 0) + 1);
  });
  const counts = [...costing];
  return {
    credits: counts.reduce((sum, [credits, count]) => sum + credits * count, 0),
    unitCredits: mostCommon(counts) ?? unitCredits,
  };
}
