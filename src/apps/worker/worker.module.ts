import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '../../platform/config/index.js';
import { DatabaseModule } from '../../platform/database/index.js';
import { LeaderTasksModule, TablesWorkerModule } from '../../platform/periodic/index.js';
import { ObservabilityModule } from '../../platform/observability/index.js';
import { OutboundModule } from '../../platform/outbound/index.js';
import { SecurityModule } from '../../platform/security/index.js';
import { AlarmsWorkerModule } from '../../modules/alarms/index.js';
import { AudioWorkerModule } from '../../modules/audio/index.js';
import { CreditsWorkerModule } from '../../modules/credits/index.js';
import { type Channel, ChannelsModule, EngineWorkerModule } from '../../modules/engine/index.js';
import { InboundMessagesWorkerModule } from '../../modules/inbound-messages/index.js';
import { RecipientListsWorkerModule } from '../../modules/recipient-lists/index.js';
import { SessionMessagesWorkerModule } from '../../modules/session-messages/index.js';
import { SettlementsWorkerModule } from '../../modules/settlements/index.js';
import { StatisticsWorkerModule } from '../../modules/statistics/index.js';
import { SuppressionsWorkerModule } from '../../modules/suppressions/index.js';
import { ALL_TABLES } from '../../modules/table-rules/index.js';
import { TemplatesWorkerModule } from '../../modules/templates/index.js';
import { WebhooksWorkerModule } from '../../modules/webhooks/index.js';

/** The worker process: queues, carrier sessions, sweepers. No public HTTP; health and metrics on `WORKER_PORT`. */
@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    SecurityModule,
    LeaderTasksModule,
    ObservabilityModule,
    OutboundModule,
    TablesWorkerModule.of(ALL_TABLES),
    CreditsWorkerModule,
    SessionMessagesWorkerModule,
    TemplatesWorkerModule,
    AudioWorkerModule,
    SuppressionsWorkerModule,
    InboundMessagesWorkerModule,
    RecipientListsWorkerModule,
    SettlementsWorkerModule,
    StatisticsWorkerModule,
    WebhooksWorkerModule,
    AlarmsWorkerModule,
  ],
})
export class WorkerModule {
  static of(channels: readonly Channel[]): DynamicModule {
    return { module: WorkerModule, imports: [ChannelsModule.of(channels), EngineWorkerModule.of(channels)] };
  }
}
