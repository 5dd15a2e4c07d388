import { Inject, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { AccountsModule } from '../../accounts/index.js';
import { BroadcastsModule } from '../broadcasts/index.js';
import { ChannelOffers, ChannelRegistry, EngineModule } from '../../engine/index.js';
import { SendUnofficialBroadcastHandler } from './commands/send-unofficial-broadcast.command.js';
import { UnofficialBroadcastController } from './http/unofficial-broadcast.controller.js';
import { unofficialChannel } from './unofficial.channel.js';
import { unofficialOffer } from './unofficial.offer.js';

/** Unofficial chat in the API: the sending route, and the channel's words for readers and receipts. */
@Module({
  imports: [CqrsModule, AccountsModule, BroadcastsModule, EngineModule],
  providers: [SendUnofficialBroadcastHandler],
  controllers: [UnofficialBroadcastController],
})
export class UnofficialChatModule {
  constructor(
    channels: ChannelRegistry,
    offers: ChannelOffers,
    @Inject(ENVIRONMENT) { UNOFFICIAL_PREFIX }: Pick<Environment, 'UNOFFICIAL_PREFIX'>,
  ) {
    channels.register(unofficialChannel);
    offers.register(unofficialOffer(UNOFFICIAL_PREFIX));
  }
}
