import { Module } from '@nestjs/common';
import { ChannelRegistry, EngineModule } from '../../engine/index.js';
import { brandedChannel, templateChannel } from './template.channels.js';

/** Template sends in the worker: what leaves for one recipient. */
@Module({ imports: [EngineModule] })
export class TemplateMessagesWorkerModule {
  constructor(channels: ChannelRegistry) {
    channels.register(templateChannel);
    channels.register(brandedChannel);
  }
}
