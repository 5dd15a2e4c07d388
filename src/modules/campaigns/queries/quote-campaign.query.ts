import { Query } from '@nestjs/cqrs';
import type { RawQuote } from '../domain/quote-request.js';

/** What a send would cost, field by field as decisions §7 gives it. */
export interface QuoteView {
  channel: string;
  encoding: 'gsm7' | 'unicode';
  unicode_characters: string[];
  length: number;
  segments: number;
  credits_per_contact: number;
  total_credits: number;
  available: number;
  /** numbers that would be charged */
  contacts: number;
  invalid: string[];
  duplicates: string[];
}

/**
 * Prices a send. Costs nothing, sends nothing, stores nothing.
 * @throws AppError invalid for the first field at fault; what the channel's send would answer to the message
 */
export class QuoteCampaign extends Query<QuoteView> {
  /** @param body as it came */
  constructor(
    readonly accountId: number,
    readonly body: RawQuote,
  ) {
    super();
  }
}
