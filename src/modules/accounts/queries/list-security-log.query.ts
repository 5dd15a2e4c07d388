import ipaddr from 'ipaddr.js';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type Listed, NOTHING_LISTED, type Page, shown } from '../../../kernel/lists.js';
import { inListedOrder, type KeyedList, listKeys } from '../../../platform/database/index.js';
import { clientIp } from '../../../platform/security/index.js';
import { type SecurityEntryAnswer, securityEntryAnswer } from '../http/security-entry.dto.js';
import { SecurityEntryEntity } from '../persistence/security-entry.entity.js';

/** A part of the security log, newest first; null = any name, any address. */
export class ListSecurityLogQuery extends Query<Listed<SecurityEntryAnswer>> {
  constructor(
    readonly username: string | null,
    readonly ip: string | null,
    readonly timeZone: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListSecurityLogQuery)
export class ListSecurityLogHandler implements IQueryHandler<ListSecurityLogQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ username, ip, page, timeZone }: ListSecurityLogQuery): Promise<Listed<SecurityEntryAnswer>> {
    if (ip !== null && !ipaddr.isValid(ip)) return NOTHING_LISTED; // the column takes ASCII alone
    const list = entriesOf(username, ip === null ? null : clientIp({ ip }));
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(SecurityEntryEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      (row) => securityEntryAnswer(row, timeZone),
    );
  }
}

/** Names and addresses have an index each; of both, the entries of the name are looked at. */
function entriesOf(username: string | null, ip: string | null): KeyedList {
  const list = { table: 'security_log', key: 'id', order: 'DESC' } as const;
  if (username !== null) {
    const ranges = [{ where: 'username = ?', values: [username] }];
    const look = ip === null ? {} : { look: { where: 't.ip = ?', values: [ip] } };
    return { ...list, index: 'ix_security_log_username', ranges, ...look };
  }
  if (ip !== null) return { ...list, index: 'ix_security_log_ip', ranges: [{ where: 'ip = ?', values: [ip] }] };
  return { ...list, index: 'PRIMARY', ranges: [{ where: '', values: [] }] };
}
