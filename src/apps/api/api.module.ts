import { Module } from '@nestjs/common';
import { CHANNELS } from '../../modules/channels/index.js';
import { ConfigModule } from '../../platform/config/index.js';
import { DatabaseModule } from '../../platform/database/index.js';
import { DutiesModule } from '../../platform/duties/index.js';
import { HttpModule } from '../../platform/http/index.js';
import { ObservabilityModule } from '../../platform/observability/index.js';
import { OutboundModule } from '../../platform/outbound/index.js';
import { SealRenewal, SecurityModule } from '../../platform/security/index.js';
import { AccountsModule } from '../../modules/accounts/index.js';
import { AdminModule } from '../../modules/admin/index.js';
import { AlarmsModule } from '../../modules/alarms/index.js';
import { AudioModule } from '../../modules/audio/index.js';
import { BusinessProfileModule } from '../../modules/business-profile/index.js';
import { CampaignsModule } from '../../modules/campaigns/index.js';
import { CellsModule } from '../../modules/cells/index.js';
import { CreditsModule } from '../../modules/credits/index.js';
import { ChannelsModule } from '../../modules/engine/index.js';
import { DeliveryReportsModule } from '../../modules/delivery-reports/index.js';
import { GuideModule } from '../../modules/guide/index.js';
import { ProfileRequestsModule } from '../../modules/profile-requests/index.js';
import { ProvidersModule } from '../../modules/providers/index.js';
import { SenderIdsModule } from '../../modules/sender-ids/index.js';
import { RecipientListsModule } from '../../modules/recipient-lists/index.js';
import { SearchModule } from '../../modules/search/index.js';
import { SessionMessagesModule } from '../../modules/session-messages/index.js';
import { StatisticsModule } from '../../modules/statistics/index.js';
import { BulkModule } from '../../modules/channels/bulk/index.js';
import { SmsModule } from '../../modules/channels/sms/index.js';
import { SuppressionsModule } from '../../modules/suppressions/index.js';
import { TemplateMessagesModule } from '../../modules/channels/template-messages/index.js';
import { TemplatesModule } from '../../modules/templates/index.js';
import { UnofficialChatModule } from '../../modules/channels/unofficial-chat/index.js';
import { VoiceModule } from '../../modules/channels/voice/index.js';
import { WebApplicationModule } from '../../modules/web-application/index.js';
import { WebhooksModule } from '../../modules/webhooks/index.js';
import { SandboxChat } from './first-start/sandbox-chat.js';

/** The API process: everything that answers HTTP. It sends nothing itself; that is the worker's. */
@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    SecurityModule,
    DutiesModule,
    ObservabilityModule,
    OutboundModule,
    AccountsModule, // before HttpModule: who acts is known before a limit is applied
    HttpModule,
    ChannelsModule.of(CHANNELS),
    CreditsModule,
    CampaignsModule,
    ProvidersModule,
    SmsModule,
    BulkModule,
    SessionMessagesModule,
    TemplatesModule,
    TemplateMessagesModule,
    UnofficialChatModule,
    VoiceModule,
    AudioModule,
    DeliveryReportsModule,
    BusinessProfileModule,
    ProfileRequestsModule,
    SenderIdsModule,
    SuppressionsModule,
    RecipientListsModule,
    SearchModule,
    WebhooksModule,
    GuideModule,
    AdminModule,
    StatisticsModule,
    AlarmsModule,
    CellsModule,
    WebApplicationModule,
  ],
  providers: [SandboxChat, SealRenewal],
})
export class ApiModule {}
