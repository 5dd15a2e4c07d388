import { AppError } from '../../../kernel/app-error.js';
import type { Price } from '../channel.js';
import { forEach } from './judged-recipients.js';
import { faultBy, Faults, type RecipientJudge } from './recipient-judge.js';
import type { RecipientFault, RecipientSource } from './recipient-source.js';

/** Recipients for whom so many parts leave. */
export interface SegmentsShare {
  segments: number;
  recipients: number;
  /** for all of them together */
  credits: number;
}

/** What a send to the recipients of a source would cost. */
export interface SourceQuote {
  balance: Price['balance'];
  recipients: number;
  /** for all of them together */
  credits: number;
  /** ascending by segments */
  histogram: SegmentsShare[];
}

/**
 * Prices the recipients of a source, in memory of one page, and writes nothing.
 * @param refused as of a submission
 * @throws AppError what is wrong with recipients
 */
export async function quoteOf(
  source: RecipientSource,
  judging: RecipientJudge,
  refused?: (faults: readonly RecipientFault[]) => AppError,
): Promise<SourceQuote> {
  const shares = new Map<number, SegmentsShare>();
  const faults = new Faults();
  let credits = 0;
  await forEach(source, (recipient) => {
    if (faults.isFull) return;
    try {
      const fault = judging.faultOf(recipient);
      if (fault) {
        faults.add(fault);
        return;
      }
      const cost = judging.creditsOf(recipient);
      const segments = judging.segmentsOf(recipient);
      const share = shares.get(segments) ?? { segments, recipients: 0, credits: 0 };
      share.recipients += 1;
      share.credits += cost;
      shares.set(segments, share);
      credits += cost;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      faults.add(faultBy(recipient, error));
    }
  });
  if (faults.isAny) throw faults.thrown(refused);
  const histogram = [...shares.values()].sort((a, b) => a.segments - b.segments);
  return { balance: judging.paidFrom, recipients: source.total, credits, histogram };
}
