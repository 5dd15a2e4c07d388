import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { CreditBook } from '../../credits/index.js';
import { Channels } from '../../engine/index.js';
import { campaignErrors } from '../campaigns.errors.js';
import { type RawQuote, readQuote, sortContacts } from '../domain/quote-request.js';

/** What a send would cost, field by field as reference/campaigns#quote gives it. */
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
export class QuoteCampaignQuery extends Query<QuoteView> {
  /** @param body as it came */
  constructor(
    readonly accountId: number,
    readonly body: RawQuote,
  ) {
    super();
  }
}

@QueryHandler(QuoteCampaignQuery)
export class QuoteCampaignHandler implements IQueryHandler<QuoteCampaignQuery> {
  constructor(
    private readonly channels: Channels,
    private readonly credits: CreditBook,
  ) {}

  async execute({ accountId, body }: QuoteCampaignQuery): Promise<QuoteView> {
    const names = this.channels.all.filter((channel) => channel.quote).map(({ name }) => name);
    const read = readQuote(body, names);
    if ('fault' in read) {
      const text = {
        channel: `channel must be one of: ${names.join(', ')}`,
        message: 'message is required',
        contacts: 'contacts must be a non-empty array',
      }[read.fault];
      throw campaignErrors.invalid(text);
    }
    const { message, contacts } = read.quote;
    const channel = this.channels.get(read.quote.channel);
    const price = await channel.quote?.(this.channels.services, accountId, message);
    if (!price) throw new Error(`the channel ${channel.name} quotes nothing`);
    const sorted = sortContacts(contacts, (entry) => channel.readRecipient(entry), channel.duplicates);
    return {
      channel: channel.name,
      encoding: price.encoding,
      unicode_characters: price.unicodeCharacters,
      length: price.length,
      segments: price.segments,
      credits_per_contact: price.unitCredits,
      total_credits: price.unitCredits * sorted.charged,
      available: await this.credits.available(accountId, price.balance),
      contacts: sorted.charged,
      invalid: sorted.invalid,
      duplicates: sorted.duplicates,
    };
  }
}
