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

export interface ContactsQuote {
  credits: number;
  unitCredits: number;
}

/** Prices contacts as a send would (credits). @param pricer null = list price */
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

export interface SegmentsShare {
  segments: number;
  recipients: number;
  credits: number;
}

const PREVIEWED = 10;

export interface SourceQuote {
  recipients: number;
  credits: number;
  histogram: SegmentsShare[];
  preview: readonly RecipientPreview[];
  faults: readonly RecipientFault[];
  refused: number;
}

/** Prices the recipients of a source page by page (credits); writes nothing. */
export async function quoteOf(source: RecipientSource, pricer: RecipientPricer): Promise<SourceQuote> {
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
      const fault = pricer.faultOf(recipient);
      if (fault) {
        refuse(fault);
        return;
      }
      const credits = pricer.creditsOf(recipient);
      const segments = pricer.segmentsOf(recipient);
      const share = shares.get(segments) ?? { segments, recipients: 0, credits: 0 };
      share.recipients += 1;
      share.credits += credits;
      shares.set(segments, share);
      if (preview.length < PREVIEWED) preview.push({ ...pricer.previewOf(recipient), segments, credits });
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
