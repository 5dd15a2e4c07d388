import { Module } from '@nestjs/common';
import { CampaignEngineModule, ChannelRegistry } from '../campaigns/index.js';
import { brandedChannel, templateChannel } from './template.channels.js';

/** Template sends in the worker: what leaves for one recipient. */
@Module({ imports: [CampaignEngineModule] })
export class TemplateMessagesWorkerModule {
  constructor(channels: ChannelRegistry) {
    channels.register(templateChannel);
    channels.register(brandedChannel);
  }
}
