import { AppError, MOST_ROW_FAULTS } from '../../../kernel/app-error.js';
import { forEach } from './judged-recipients.js';
import { faultBy, type RecipientJudge, type RecipientPreview } from './recipient-judge.js';
import type { RecipientFault, RecipientSource } from './recipient-source.js';

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
export async function quoteOf(source: RecipientSource, judging: RecipientJudge): Promise<SourceQuote> {
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
