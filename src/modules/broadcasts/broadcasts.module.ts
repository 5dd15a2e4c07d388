import { Module } from '@nestjs/common';
import { CampaignEngineModule } from '../campaigns/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { RoutesModule } from '../providers/index.js';
import { BroadcastDesk } from './broadcast-desk.js';

/** What SMS and unofficial chat broadcasts have in common: fields, error rows, routing, acceptance. */
@Module({
  imports: [CampaignEngineModule, IdempotencyModule, RoutesModule],
  providers: [BroadcastDesk],
  exports: [BroadcastDesk],
})
export class BroadcastsModule {}
