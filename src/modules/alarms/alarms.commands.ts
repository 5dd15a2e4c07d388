import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction, type WriteResult } from '../../platform/database/index.js';
import { type Account, AuditLog } from '../accounts/index.js';
import { alarmAnswer, type AlarmAnswer } from './alarms.dto.js';
import { alarmErrors } from './alarms.errors.js';
import { AlarmEntity } from './tables.js';

/** Acknowledges an alarm. Throws 404 `Alarm not found`, 409 `Alarm is already cleared`. */
export class AcknowledgeAlarmCommand extends Command<AlarmAnswer> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(AcknowledgeAlarmCommand)
export class AcknowledgeAlarmHandler implements ICommandHandler<AcknowledgeAlarmCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, id }: AcknowledgeAlarmCommand): Promise<AlarmAnswer> {
    return inTransaction(this.dataSource, async (tx) => {
      const { affectedRows }: WriteResult = await tx.query(
        `UPDATE alarms SET acknowledged_at = UTC_TIMESTAMP(3), acknowledged_by = ?
         WHERE id = ? AND state = 'active' AND acknowledged_at IS NULL`,
        [actor.username, id],
      );
      const row = await tx.findOneBy(AlarmEntity, { id });
      if (!row || row.state === 'waiting') throw alarmErrors.notFound();
      if (row.state === 'past') throw alarmErrors.cleared();
      if (affectedRows === 1) {
        const details = { id, kind: row.kind };
        await this.audit.record(tx, { actor, action: 'alarm.acknowledge', subject: row.subject, details });
      }
      return alarmAnswer(row);
    });
  }
}
