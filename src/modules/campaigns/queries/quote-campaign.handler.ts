import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type BalanceName, CreditBook } from '../../credits/index.js';
import { campaignErrors } from '../campaigns.errors.js';
import { ChannelOffers } from '../channel-offers.js';
import { readQuote, sortContacts } from '../domain/quote-request.js';
import { QuoteCampaign, type QuoteView } from './quote-campaign.query.js';

@QueryHandler(QuoteCampaign)
export class QuoteCampaignHandler implements IQueryHandler<QuoteCampaign> {
  constructor(
    private readonly offers: ChannelOffers,
    private readonly credits: CreditBook,
  ) {}

  async execute({ accountId, body }: QuoteCampaign): Promise<QuoteView> {
    const quotable = this.offers.quotable();
    const names = quotable.map(({ name }) => name);
    const read = readQuote(body, names);
    if ('fault' in read) {
      const text = {
        channel: `channel must be one of: ${names.join(', ')}`,
        message: 'message is required',
        contacts: 'contacts must be a non-empty array',
      }[read.fault];
      throw campaignErrors.invalid(text);
    }
    const { channel, message, contacts } = read.quote;
    const offer = quotable.find(({ name }) => name === channel);
    if (!offer) throw new Error(`no offer of the channel ${channel}`);
    const price = await offer.quote(accountId, message);
    const sorted = sortContacts(contacts, (entry) => offer.readContact(entry), offer.duplicates);
    return {
      channel,
      encoding: price.encoding,
      unicode_characters: price.unicodeCharacters,
      length: price.length,
      segments: price.segments,
      credits_per_contact: price.unitCredits,
      total_credits: price.unitCredits * sorted.charged,
      available: await this.credits.available(accountId, price.balance as BalanceName),
      contacts: sorted.charged,
      invalid: sorted.invalid,
      duplicates: sorted.duplicates,
    };
  }
}
