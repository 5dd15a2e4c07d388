import { Module } from '@nestjs/common';
import { EngineModule } from '../../engine/index.js';
import { IdempotencyModule } from '../../idempotency/index.js';
import { RoutesModule } from '../../providers/index.js';
import { BroadcastSubmission } from './broadcast-submission.js';

/** What SMS and unofficial chat broadcasts have in common: fields, error rows, routing, acceptance. */
@Module({
  imports: [EngineModule, IdempotencyModule, RoutesModule],
  providers: [BroadcastSubmission],
  exports: [BroadcastSubmission],
})
export class BroadcastsModule {}
