import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectoryModule, AccountsModule } from '../accounts/index.js';
import { ChatPricesModule } from '../channels/template-messages/index.js';
import { CreditsModule } from '../credits/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { EngineDispatchModule } from '../engine/index.js';
import { GuardModule } from '../guard/index.js';
import { InboundReceptionModule } from '../inbound-messages/index.js';
import { RoutesModule } from '../providers/index.js';
import { StatisticsWorkerModule } from '../statistics/index.js';
import { WebhookEventsModule } from '../webhooks/index.js';
import { AlarmRounds, CHECK_PROVIDERS } from './alarm-rounds.js';
import { AcknowledgeAlarmHandler } from './alarms.commands.js';
import { AlarmsController } from './alarms.controller.js';
import { ListAlarmsHandler } from './alarms.queries.js';
import { AlarmStore, DiskShortages, LastBackup } from './alarms.store.js';
import { DiskWatch } from './disk-watch.js';
import { StateMetrics } from './state-metrics.js';
import { AlarmEntity } from './tables.js';

/** In the API: the list, acknowledgements, and the disk of its host. */
@Module({
  imports: [CqrsModule, AccountsModule, TypeOrmModule.forFeature([AlarmEntity])],
  controllers: [AlarmsController],
  providers: [DiskShortages, DiskWatch, AcknowledgeAlarmHandler, ListAlarmsHandler],
})
export class AlarmsModule {}

/** In the worker: checks, raising and clearing. */
@Module({
  imports: [
    TypeOrmModule.forFeature([AlarmEntity]),
    AccountDirectoryModule,
    ChatPricesModule,
    CreditsModule,
    CustomerEventsModule,
    EngineDispatchModule,
    GuardModule,
    InboundReceptionModule,
    RoutesModule,
    StatisticsWorkerModule,
    WebhookEventsModule,
  ],
  providers: [...CHECK_PROVIDERS, AlarmStore, DiskShortages, LastBackup, DiskWatch, AlarmRounds, StateMetrics],
})
export class AlarmsWorkerModule {}
