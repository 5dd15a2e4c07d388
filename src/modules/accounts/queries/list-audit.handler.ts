import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { dateTime } from '../../../kernel/clock.js';
import { AuditEntryEntity } from '../persistence/audit-entry.entity.js';
import { type AuditEntryView, ListAuditQuery } from './list-audit.query.js';

@QueryHandler(ListAuditQuery)
export class ListAuditHandler implements IQueryHandler<ListAuditQuery> {
  constructor(@InjectRepository(AuditEntryEntity) private readonly log: Repository<AuditEntryEntity>) {}

  async execute(query: ListAuditQuery): Promise<{ entries: AuditEntryView[]; total: number }> {
    const [rows, total] = await this.log.findAndCount({
      where: query.actor === null ? {} : { actor: query.actor },
      order: { id: 'DESC' },
      skip: (query.page - 1) * query.limit,
      take: query.limit,
    });
    const entries = rows.map((row) => ({
      id: row.id,
      actor: row.actor,
      assigned_user: row.assignedUser,
      action: row.action,
      subject: row.subject,
      details: JSON.parse(row.details) as Record<string, unknown>,
      created_at: dateTime(row.createdAt, query.timeZone),
    }));
    return { entries, total };
  }
}
