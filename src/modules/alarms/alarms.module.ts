import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { AcknowledgeAlarmHandler } from './commands/acknowledge-alarm.command.js';
import { DiskWatch } from './disk-watch.js';
import { AlarmsController } from './http/alarms.controller.js';
import { AlarmEntity } from './persistence/alarm.entity.js';
import { DiskShortages } from './persistence/disk-shortages.js';
import { ListAlarmsHandler } from './queries/list-alarms.query.js';

/** Alarms in the API: the list, who looks after them, and the disk of its host. */
@Module({
  imports: [CqrsModule, AccountsModule, TypeOrmModule.forFeature([AlarmEntity])],
  controllers: [AlarmsController],
  providers: [DiskShortages, DiskWatch, AcknowledgeAlarmHandler, ListAlarmsHandler],
})
export class AlarmsModule {}
