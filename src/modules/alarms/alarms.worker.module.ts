import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectoryModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { EngineDispatchModule } from '../engine/index.js';
import { RoutesModule } from '../providers/index.js';
import { StatisticsWorkerModule } from '../statistics/index.js';
import { WebhookEventsModule } from '../webhooks/index.js';
import { CHECK_PROVIDERS } from './alarm-checks.js';
import { AlarmRounds } from './alarm-rounds.js';
import { DiskWatch } from './disk-watch.js';
import { AlarmEntity } from './persistence/alarm.entity.js';
import { StateMetrics } from './state-metrics.js';
import { AlarmStore } from './persistence/alarm-store.js';
import { DiskShortages } from './persistence/disk-shortages.js';
import { LastBackup } from './persistence/last-backup.js';

/** Alarms in the worker: looked for, raised and cleared. */
@Module({
  imports: [
    TypeOrmModule.forFeature([AlarmEntity]),
    AccountDirectoryModule,
    CreditsModule,
    CustomerEventsModule,
    EngineDispatchModule,
    RoutesModule,
    StatisticsWorkerModule,
    WebhookEventsModule,
  ],
  providers: [...CHECK_PROVIDERS, AlarmStore, DiskShortages, LastBackup, DiskWatch, AlarmRounds, StateMetrics],
})
export class AlarmsWorkerModule {}
