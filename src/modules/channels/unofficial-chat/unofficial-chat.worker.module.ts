import { Module } from '@nestjs/common';
import { ChannelRegistry, EngineModule } from '../../engine/index.js';
import { unofficialChannel } from './unofficial.channel.js';

/** Unofficial chat in the worker: what leaves for one recipient. */
@Module({ imports: [EngineModule] })
export class UnofficialChatWorkerModule {
  constructor(channels: ChannelRegistry) {
    channels.register(unofficialChannel);
  }
}
