import { AppError, MOST_ROW_FAULTS } from '../../../kernel/errors.js';
import type { Pricer } from '../../rates/index.js';
import type { MessageQuote } from '../channel.js';
import { forEach, mostCommon } from './priced-recipients.js';
import {
  faultBy,
  type RecipientFault,
  type RecipientPricer,
  type RecipientPreview,
  type RecipientSource,
  sourceOf,
} from './pricing.js';

/** What contacts would be charged for a message that is the same for all of them. */
export interface ContactsQuote {
  /** for all of them together */
  credits: number;
  /** what each of them costs; where they differ, what most of them do */
  unitCredits: number;
}

/**
 * As `RecipientPricer` prices a send to them.
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

/** Recipients for whom so many parts leave. */
export interface SegmentsShare {
  segments: number;
  recipients: number;
  /** for all of them together */
  credits: number;
}

/** The first so many recipients are shown as they would be sent. */
const PREVIEWED = 10;

/** What a send to the recipients of a source would cost. */
export interface SourceQuote {
  /** that nothing is wrong with */
  recipients: number;
  /** for all of them together */
  credits: number;
  /** ascending by segments */
  histogram: SegmentsShare[];
  /** the first that nothing is wrong with */
  preview: readonly RecipientPreview[];
  /** recipients for which the send would be refused: the first hundred, and how many there are */
  faults: readonly RecipientFault[];
  refused: number;
}

/** Prices the recipients of a source, in memory of one page, and writes nothing. */
export async function quoteOf(source: RecipientSource, judging: RecipientPricer): Promise<SourceQuote> {
  const shares = new Map<number, SegmentsShare>();
  const preview: RecipientPreview[] = [];
  const faults: RecipientFault[] = [];
  const quote = { recipients: 0, credits: 0, refused: 0 };
  const refuse = (fault: RecipientFault): void => {
    quote.refused += 1;
    if (faults.length < MOST_ROW_FAULTS) faults.push(fault);
  };
  await forEach(source, (recipient) => {
    try {
      const fault = judging.faultOf(recipient);
      if (fault) {
        refuse(fault);
        return;
      }
      const credits = judging.creditsOf(recipient);
      const segments = judging.segmentsOf(recipient);
      const share = shares.get(segments) ?? { segments, recipients: 0, credits: 0 };
      share.recipients += 1;
      share.credits += credits;
      shares.set(segments, share);
      if (preview.length < PREVIEWED) preview.push({ ...judging.previewOf(recipient), segments, credits });
      quote.recipients += 1;
      quote.credits += credits;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refuse(faultBy(recipient, error));
    }
  });
  const histogram = [...shares.values()].sort((a, b) => a.segments - b.segments);
  return { ...quote, histogram, preview, faults };
}
