import { Module } from '@nestjs/common';
import { CampaignEngineModule, ChannelRegistry } from '../campaigns/index.js';
import { unofficialChannel } from './unofficial.channel.js';

/** Unofficial chat in the worker: what leaves for one recipient. */
@Module({ imports: [CampaignEngineModule] })
export class UnofficialChatWorkerModule {
  constructor(channels: ChannelRegistry) {
    channels.register(unofficialChannel);
  }
}
