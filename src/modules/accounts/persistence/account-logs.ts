import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { changeEntry, loginEntry, staffEntry } from '../http/log-entry.dto.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import { type LogSource, OwnLog } from './own-log.js';
import { SecurityEntryEntity } from './security-entry.entity.js';

/** What the account changed, what staff changed on it, and who logged in. */
@Injectable()
export class AccountLogs {
  constructor(@InjectDataSource() dataSource: DataSource, log: OwnLog) {
    const changes = (ids: readonly number[]): Promise<AuditEntryEntity[]> =>
      dataSource.getRepository(AuditEntryEntity).findBy({ id: In(ids) });
    const audit = { kind: 'change', table: 'audit_log' } as const;
    const own: LogSource = {
      ...audit,
      name: 'change',
      index: 'ix_audit_log_account',
      column: 'actor_id',
      entries: async (ids, { timeZone }) =>
        new Map((await changes(ids)).map((row) => [row.id, changeEntry(row, timeZone)])),
    };
    const byStaff: LogSource = {
      ...audit,
      name: 'staff',
      index: 'ix_audit_log_concerned',
      column: 'account_id',
      entries: async (ids, { timeZone }) =>
        new Map((await changes(ids)).map((row) => [row.id, staffEntry(row, timeZone)])),
    };
    const logins: LogSource = {
      name: 'login',
      kind: 'login',
      table: 'security_log',
      index: 'ix_security_log_account',
      column: 'account_id',
      entries: async (ids, { timeZone }) => {
        const rows = await dataSource.getRepository(SecurityEntryEntity).findBy({ id: In(ids) });
        return new Map(rows.map((row) => [row.id, loginEntry(row, timeZone)]));
      },
    };
    log.register(own, byStaff, logins);
  }
}
