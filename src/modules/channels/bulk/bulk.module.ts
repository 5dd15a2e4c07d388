import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../accounts/index.js';
import { CreditsModule } from '../../credits/index.js';
import { EngineModule } from '../../engine/index.js';
import { IdempotencyModule } from '../../idempotency/index.js';
import { RoutesModule } from '../../providers/index.js';
import { RecipientListsModule } from '../../recipient-lists/index.js';
import { SenderIdsModule } from '../../sender-ids/index.js';
import { UsedRoutes } from '../broadcasts/index.js';
import { TemplateMessagesModule } from '../template-messages/index.js';
import { BulkSends } from './bulk-sends.js';
import { QuoteBulkHandler, SkippedRowsOfSendHandler } from './bulk.queries.js';
import { SendBulkCampaignHandler } from './bulk.commands.js';
import { BulkController } from './bulk.controller.js';

/** Personalised campaigns of every text channel (reference/bulk#send). */
@Module({
  imports: [
    CqrsModule,
    AccountsModule,
    CreditsModule,
    EngineModule,
    IdempotencyModule,
    RecipientListsModule,
    RoutesModule,
    SenderIdsModule,
    TemplateMessagesModule,
  ],
  providers: [UsedRoutes, BulkSends, QuoteBulkHandler, SkippedRowsOfSendHandler, SendBulkCampaignHandler],
  controllers: [BulkController],
})
export class BulkModule {}
