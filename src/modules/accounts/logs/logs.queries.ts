import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import ipaddr from 'ipaddr.js';
import { DataSource, In } from 'typeorm';
import { type Listed, NOTHING_LISTED, type Page, shown } from '../../../kernel/lists.js';
import { inListedOrder, type KeyedList, listKeys } from '../../../platform/database/index.js';
import { clientIp } from '../../../platform/security/index.js';
import type { Account } from '../domain/account.js';
import { AuditEntryEntity, SecurityEntryEntity } from '../tables.js';
import {
  auditEntryAnswer,
  type AuditEntryAnswer,
  type LogEntryData,
  type LogKind,
  securityEntryAnswer,
  type SecurityEntryAnswer,
} from './logs.dto.js';
import { OwnLog } from './own-log.store.js';

/** Lists the audit log, newest first; `actor` null = all. */
export class ListAuditQuery extends Query<Listed<AuditEntryAnswer>> {
  constructor(
    readonly actor: string | null,
    readonly timeZone: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListAuditQuery)
export class ListAuditHandler implements IQueryHandler<ListAuditQuery> {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ actor, page, timeZone }: ListAuditQuery): Promise<Listed<AuditEntryAnswer>> {
    const ids = await listKeys<number>(
      this.dataSource,
      {
        table: 'audit_log',
        index: actor === null ? 'PRIMARY' : 'ix_audit_log_actor',
        key: 'id',
        order: 'DESC',
        ranges: [actor === null ? { where: '', values: [] } : { where: 'actor = ?', values: [actor] }],
      },
      page,
    );
    const rows = await this.dataSource.getRepository(AuditEntryEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      (row) => auditEntryAnswer(row, timeZone),
    );
  }
}

/** Lists changes, sends and logins of an account, newest first. @throws AppError 403 `Permission denied` for assigned users */
export class ListOwnLogQuery extends Query<Listed<LogEntryData>> {
  constructor(
    readonly actor: Account,
    readonly kind: LogKind | null,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListOwnLogQuery)
export class ListOwnLogHandler implements IQueryHandler<ListOwnLogQuery> {
  constructor(private readonly log: OwnLog) {}

  execute({ actor, kind, page }: ListOwnLogQuery): Promise<Listed<LogEntryData>> {
    return this.log.part(actor.id, kind, page, actor);
  }
}

/** Lists the security log, newest first; null = any name, any address. */
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
    if (ip !== null && !ipaddr.isValid(ip)) return NOTHING_LISTED; // the column is ASCII only
    const list = entriesOf(username, ip === null ? null : clientIp({ ip }));
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(SecurityEntryEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      (row) => securityEntryAnswer(row, timeZone),
    );
  }
}

/** With both filters, the index on the name is used. */
function entriesOf(username: string | null, ip: string | null): KeyedList {
  const list = { table: 'security_log', key: 'id', order: 'DESC' } as const;
  if (username !== null) {
    const ranges = [{ where: 'username = ?', values: [username] }];
    const filter = ip === null ? {} : { filter: { where: 't.ip = ?', values: [ip] } };
    return { ...list, index: 'ix_security_log_username', ranges, ...filter };
  }
  if (ip !== null) return { ...list, index: 'ix_security_log_ip', ranges: [{ where: 'ip = ?', values: [ip] }] };
  return { ...list, index: 'PRIMARY', ranges: [{ where: '', values: [] }] };
}
