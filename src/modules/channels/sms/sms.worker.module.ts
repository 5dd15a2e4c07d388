import { Module } from '@nestjs/common';
import { ChannelRegistry, EngineModule } from '../../engine/index.js';
import { smsChannel } from './sms.channel.js';

/** SMS in the worker: what leaves for one recipient. The engine does the rest. */
@Module({ imports: [EngineModule] })
export class SmsWorkerModule {
  constructor(channels: ChannelRegistry) {
    channels.register(smsChannel);
  }
}
