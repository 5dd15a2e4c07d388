import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { inListedOrder, listKeys } from '../../../platform/database/index.js';
import { type AuditEntryAnswer, auditEntryAnswer } from '../http/audit-entry.dto.js';
import { AuditEntryEntity } from '../persistence/audit-entry.entity.js';

/** A part of the audit log, newest first; `actor` null = all actors. */
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
