import { Module } from '@nestjs/common';
import { ConfigModule } from '../../platform/config/index.js';
import { DatabaseModule } from '../../platform/database/index.js';
import { ObservabilityModule } from '../../platform/observability/index.js';
import { OutboundModule } from '../../platform/outbound/index.js';
import { SecurityModule } from '../../platform/security/index.js';
import { EngineWorkerModule } from '../../modules/engine/index.js';
import { IdempotencyWorkerModule } from '../../modules/idempotency/index.js';
import { SessionMessagesWorkerModule } from '../../modules/session-messages/index.js';
import { SmsWorkerModule } from '../../modules/channels/sms/index.js';
import { SuppressionListModule } from '../../modules/suppressions/index.js';
import { TemplateMessagesWorkerModule } from '../../modules/channels/template-messages/index.js';
import { TemplatesWorkerModule } from '../../modules/templates/index.js';
import { UnofficialChatWorkerModule } from '../../modules/channels/unofficial-chat/index.js';
import { VoiceWorkerModule } from '../../modules/channels/voice/index.js';
import { WebhooksWorkerModule } from '../../modules/webhooks/index.js';

/** The worker: queues, carriers' sessions, sweeper. No public HTTP; health and metrics on `WORKER_PORT`. */
@Module({
  imports: [
    ConfigModule,
    DatabaseModule,
    SecurityModule,
    ObservabilityModule,
    OutboundModule,
    IdempotencyWorkerModule,
    SmsWorkerModule,
    SessionMessagesWorkerModule,
    TemplatesWorkerModule,
    TemplateMessagesWorkerModule,
    UnofficialChatWorkerModule,
    VoiceWorkerModule,
    SuppressionListModule,
    EngineWorkerModule,
    WebhooksWorkerModule,
  ],
})
export class WorkerModule {}
