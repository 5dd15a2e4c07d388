import { Injectable } from '@nestjs/common';
import { CHANNEL_NAMES, type ChannelName } from './state/campaign.js';
import type { ChannelOffer, QuotableOffer } from './channel-offer.js';

/** What the channels of this API sell; each channel module registers its own at start. The worker needs none. */
@Injectable()
export class ChannelOffers {
  private readonly offers = new Map<ChannelName, ChannelOffer>();

  register(offer: ChannelOffer): void {
    this.offers.set(offer.name, offer);
  }

  get(name: ChannelName): ChannelOffer {
    const offer = this.offers.get(name);
    if (!offer) throw new Error(`the channel ${name} has no offer in this process`);
    return offer;
  }

  /** The offers whose price can be told from a text. */
  quotable(): QuotableOffer[] {
    return CHANNEL_NAMES.flatMap((name) => {
      const offer = this.offers.get(name);
      return offer && isQuotable(offer) ? [offer] : [];
    });
  }
}

const isQuotable = (offer: ChannelOffer): offer is QuotableOffer => offer.quote !== undefined;
