import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RelayBellModule } from '../../platform/queues/index.js';
import { AccountDirectoryModule, AccountsModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { ReceiptSink } from '../providers/index.js';
import { CampaignAcceptance } from './acceptance/campaign-acceptance.js';
import { ChannelRegistry } from './channel-registry.js';
import { ChangeCampaignHandler } from './commands/change-campaign.handler.js';
import { CampaignsController } from './http/campaigns.controller.js';
import { CampaignReader } from './persistence/campaign-reader.js';
import { CampaignStates } from './persistence/campaign-states.js';
import { CampaignWriter } from './persistence/campaign-writer.js';
import { campaignEntities } from './persistence/campaign.entities.js';
import { ReceiptStore } from './persistence/receipt-store.js';
import { Settlement } from './persistence/settlement.js';
import { GetCampaignHandler } from './queries/get-campaign.handler.js';
import { CampaignReceipts } from './receipts/campaign-receipts.js';
import { ReceiptListeners } from './receipts/receipt-listeners.js';

const SERVICES = [
  CampaignAcceptance,
  CampaignReader,
  CampaignReceipts,
  CampaignStates,
  CampaignWriter,
  ChannelRegistry,
  ReceiptListeners,
  ReceiptStore,
  Settlement,
];

/**
 * The engine that every process has: accepting, reading, settling, receipts. Global, because the providers module hands
 * receipts to `ReceiptSink` and must not import the engine (the engine imports the providers).
 */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature(campaignEntities), AccountDirectoryModule, CreditsModule, RelayBellModule],
  providers: [...SERVICES, { provide: ReceiptSink, useExisting: CampaignReceipts }],
  exports: [...SERVICES, ReceiptSink, RelayBellModule],
})
export class CampaignEngineModule {}

/** Campaigns in the API: the engine, and what owners and staff do with a campaign. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignEngineModule],
  providers: [ChangeCampaignHandler, GetCampaignHandler],
  controllers: [CampaignsController],
  exports: [CampaignEngineModule],
})
export class CampaignsModule {}
