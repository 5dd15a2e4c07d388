import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { MOST_CONTACTS, sortContacts } from '../../../kernel/contacts.js';
import { readText } from '../../../kernel/text.js';
import { CreditBook } from '../../credits/index.js';
import { Channels, Submissions } from '../../engine/index.js';
import { type NumberHome, readerOf } from '../../numbers/index.js';
import { quoteErrors } from '../campaigns.errors.js';
import type { QuoteData } from './quote.dto.js';

interface RawQuote {
  channel?: unknown;
  message?: unknown;
  contacts?: unknown;
}

export interface QuoteRequest {
  channel: string;
  message: string;
  contacts: readonly unknown[];
}

export type QuoteFault = 'channel' | 'message' | 'contacts' | 'tooMany';

/** Parses a quote request; returns it, or its first invalid field. */
export function readQuote(raw: RawQuote, channels: readonly string[]): { quote: QuoteRequest } | { fault: QuoteFault } {
  const { channel, contacts } = raw;
  if (typeof channel !== 'string' || !channels.includes(channel)) return { fault: 'channel' };
  const message = readText(raw.message);
  if (message.kind !== 'text') return { fault: 'message' };
  if (!Array.isArray(contacts) || contacts.length === 0) return { fault: 'contacts' };
  if (contacts.length > MOST_CONTACTS) return { fault: 'tooMany' };
  return { quote: { channel, message: message.value, contacts: contacts as unknown[] } };
}

/** Prices a send by the account's rate plan; sends and stores nothing. @throws AppError invalid for the first invalid field */
export class QuoteCampaignQuery extends Query<QuoteData> {
  constructor(
    readonly account: NumberHome & { id: number },
    readonly body: RawQuote,
  ) {
    super();
  }
}

@QueryHandler(QuoteCampaignQuery)
export class QuoteCampaignHandler implements IQueryHandler<QuoteCampaignQuery> {
  constructor(
    private readonly channels: Channels,
    private readonly submissions: Submissions,
    private readonly credits: CreditBook,
  ) {}

  async execute({ account, body }: QuoteCampaignQuery): Promise<QuoteData> {
    const accountId = account.id;
    const names = Channels.quotable(this.channels.all);
    const read = readQuote(body, names);
    if ('fault' in read) {
      throw read.fault === 'channel' ? quoteErrors.channel(names) : quoteErrors[read.fault].asShown();
    }
    const { message, contacts } = read.quote;
    const channel = this.channels.get(read.quote.channel);
    const price = await channel.quote?.(this.channels.services, accountId, message);
    if (!price) throw new Error(`the channel ${channel.name} quotes nothing`);
    const sorted = await sortContacts(contacts, readerOf(account, channel), channel.duplicates);
    const charges = await this.submissions.quoteContacts({ channel, sender: { accountId } }, price, sorted.charged);
    return {
      channel: channel.name,
      encoding: price.encoding,
      unicode_characters: price.unicodeCharacters,
      length: price.length,
      segments: price.segments,
      credits_per_contact: charges.unitCredits,
      credits: charges.credits,
      total_credits: charges.credits,
      available: await this.credits.available(accountId, price.balance),
      contacts: sorted.charged.length,
      invalid: sorted.invalid,
      refused: sorted.refused,
      duplicates: sorted.duplicates,
      duplicates_count: sorted.duplicatesCount,
    };
  }
}
