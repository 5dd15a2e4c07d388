import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../accounts/index.js';
import { BroadcastsModule } from '../broadcasts/index.js';
import { CampaignsModule } from '../../campaigns/index.js';
import { ChannelOffers, ChannelRegistry } from '../../engine/index.js';
import { SendSmsBroadcastHandler } from './commands/send-sms-broadcast.command.js';
import { ChosenIds } from './http/chosen-ids.js';
import { VerifiedCredentials } from './http/verified-credentials.js';
import { SmsBroadcastController } from './http/sms-broadcast.controller.js';
import { SmsGetController } from './http/sms-get.controller.js';
import { smsChannel } from './sms.channel.js';
import { smsOffer } from './sms.offer.js';

/** SMS in the API: both sending routes, and the channel's words for reports and receipts. */
@Module({
  imports: [CqrsModule, AccountsModule, BroadcastsModule, CampaignsModule],
  providers: [SendSmsBroadcastHandler, VerifiedCredentials, ChosenIds],
  controllers: [SmsBroadcastController, SmsGetController],
})
export class SmsModule {
  constructor(channels: ChannelRegistry, offers: ChannelOffers) {
    channels.register(smsChannel);
    offers.register(smsOffer);
  }
}
