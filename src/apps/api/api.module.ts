import type { Server } from 'node:http';
import { type INestApplication, Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { AccountsModule } from '../../modules/accounts/index.js';
import { AlarmsModule } from '../../modules/alarms/index.js';
import { AudioModule } from '../../modules/audio/index.js';
import { BusinessProfileModule } from '../../modules/business-profile/index.js';
import { CampaignsModule } from '../../modules/campaigns/index.js';
import { CellsModule } from '../../modules/cells/index.js';
import { BulkModule } from '../../modules/channels/bulk/index.js';
import { CHANNELS } from '../../modules/channels/index.js';
import { SmsModule } from '../../modules/channels/sms/index.js';
import { TemplateMessagesModule } from '../../modules/channels/template-messages/index.js';
import { UnofficialChatModule } from '../../modules/channels/unofficial-chat/index.js';
import { VoiceModule } from '../../modules/channels/voice/index.js';
import { CreditsModule } from '../../modules/credits/index.js';
import { DeliveryReportsModule } from '../../modules/delivery-reports/index.js';
import { ChannelsModule } from '../../modules/engine/index.js';
import { GuardApiModule } from '../../modules/guard/index.js';
import { GuideModule } from '../../modules/guide/index.js';
import { InboundMessagesModule } from '../../modules/inbound-messages/index.js';
import { MessagesModule } from '../../modules/messages/index.js';
import { ManagedAccountsModule } from '../../modules/managed-accounts/index.js';
import { ProfileRequestsModule } from '../../modules/profile-requests/index.js';
import { ProvidersModule } from '../../modules/providers/index.js';
import { RecipientListsModule } from '../../modules/recipient-lists/index.js';
import { SearchModule } from '../../modules/search/index.js';
import { RatesAdminModule } from '../../modules/rate-plans/index.js';
import { ChatAccountsAdminModule, RoutesAdminModule } from '../../modules/routes/index.js';
import { SenderIdsModule } from '../../modules/sender-ids/index.js';
import { SessionMessagesModule } from '../../modules/session-messages/index.js';
import { SettlementsModule } from '../../modules/settlements/index.js';
import { StatisticsModule } from '../../modules/statistics/index.js';
import { SuppressionsModule } from '../../modules/suppressions/index.js';
import { TemplatesModule } from '../../modules/templates/index.js';
import { VerificationsModule } from '../../modules/verifications/index.js';
import { WebApplicationModule } from '../../modules/web-application/index.js';
import { WebhooksModule } from '../../modules/webhooks/index.js';
import { ConfigModule, type Environment, ENVIRONMENT, publicPath } from '../../platform/config/index.js';
import { DatabaseModule } from '../../platform/database/index.js';
import { configureHttp, HttpModule } from '../../platform/http/index.js';
import { Drain, DRAIN_MS, drainServer, ObservabilityModule } from '../../platform/observability/index.js';
import { OutboundModule } from '../../platform/outbound/index.js';
import { LeaderTasksModule } from '../../platform/periodic/index.js';
import { SealRenewal, SecurityModule } from '../../platform/security/index.js';
import { serveDocs } from './openapi.js';
import { SandboxChat } from './sandbox-setup.js';

/** The API process: answers HTTP; the worker sends. */
@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    SecurityModule,
    LeaderTasksModule,
    ObservabilityModule,
    OutboundModule,
    AccountsModule, // before HttpModule: limits need the authenticated account
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
    InboundMessagesModule,
    MessagesModule,
    RecipientListsModule,
    SearchModule,
    WebhooksModule,
    VerificationsModule,
    GuideModule,
    ManagedAccountsModule,
    GuardApiModule,
    RoutesAdminModule,
    ChatAccountsAdminModule,
    RatesAdminModule,
    SettlementsModule,
    StatisticsModule,
    AlarmsModule,
    CellsModule,
    WebApplicationModule,
  ],
  providers: [SandboxChat, SealRenewal],
})
export class ApiModule {}

/** Configures everything between the bare Nest application (`bodyParser: false`) and `listen`; tests use it too. */
export function configureApi(app: NestExpressApplication): Environment {
  const environment = app.get<Environment>(ENVIRONMENT);
  app.useLogger(app.get(Logger));
  configureHttp(app, environment);
  if (environment.DOCS) serveDocs(app, publicPath(environment));
  return environment;
}

/** Milliseconds a stop takes after `SHUTDOWN_DELAY`; open requests are aborted then. */
export const STOP_MS = DRAIN_MS + 5_000;

/** Stops an API without failing a request, then closes database and Redis. */
export async function stopGracefully(app: INestApplication, environment: Environment): Promise<void> {
  await drainServer(app.getHttpServer() as Server, app.get(Drain), environment.SHUTDOWN_DELAY);
  await app.close();
}
