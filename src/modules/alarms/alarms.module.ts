import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { AcknowledgeAlarmHandler } from './commands/acknowledge-alarm.command.js';
import { AlarmsController } from './http/alarms.controller.js';
import { AlarmEntity } from './persistence/alarm.entity.js';
import { ListAlarmsHandler } from './queries/list-alarms.query.js';

/** Alarms in the API: the list, and who looks after them. */
@Module({
  imports: [CqrsModule, AccountsModule, TypeOrmModule.forFeature([AlarmEntity])],
  controllers: [AlarmsController],
  providers: [AcknowledgeAlarmHandler, ListAlarmsHandler],
})
export class AlarmsModule {}
