import { Injectable } from '@nestjs/common';
import { dateTimesOf } from '../../../kernel/clock.js';
import { AccountDirectory } from '../../accounts/index.js';
import { type CampaignRecord, Channels, type RecipientRecord } from '../../engine/index.js';
import { contactData, type DetailedRecipient } from '../http/contact.dto.js';
import type { RecipientReader } from '../persistence/recipient-reader.js';

/** Recipients in the labels of their channel and the time zone of their owner, with what other tables know of them. */
@Injectable()
export class RecipientViews {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly channels: Channels,
  ) {}

  /** @param contacts where the recipients were read @param recipients ascending by seq */
  async of(
    contacts: RecipientReader,
    campaign: CampaignRecord,
    recipients: readonly RecipientRecord[],
  ): Promise<DetailedRecipient[]> {
    const channel = this.channels.get(campaign.channel);
    const seqs = recipients.map(({ seq }) => seq);
    const [owner, providerIds, details, terms] = await Promise.all([
      this.accounts.byId(campaign.accountId),
      contacts.providerIds(campaign, seqs),
      channel.details?.of(this.channels.services, campaign, recipients),
      campaign.ownTerms ? contacts.terms(campaign.id, seqs) : null,
    ]);
    const credits = (seq: number): number => terms?.get(seq)?.credits ?? campaign.unitCredits;
    const shown = dateTimesOf(owner?.timeZone ?? 'UTC');
    return recipients.map((recipient) => contactData(channel, recipient, { providerIds, details, credits }, shown));
  }
}
