import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { inListedOrder, listKeys } from '../../platform/database/index.js';
import { alarmAnswer, type AlarmAnswer } from './alarms.dto.js';
import { AlarmEntity } from './tables.js';

/** Raised or past alarms, newest first. */
export class ListAlarmsQuery extends Query<Listed<AlarmAnswer>> {
  constructor(
    readonly state: 'active' | 'past',
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListAlarmsQuery)
export class ListAlarmsHandler implements IQueryHandler<ListAlarmsQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ state, page }: ListAlarmsQuery): Promise<Listed<AlarmAnswer>> {
    const ranges = [{ where: 'state = ?', values: [state] }];
    const list = { table: 'alarms', index: 'ix_alarms_state', key: 'id', order: 'DESC', ranges } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(AlarmEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      alarmAnswer,
    );
  }
}
