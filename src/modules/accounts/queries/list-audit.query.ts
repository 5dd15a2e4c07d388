import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { dateTime } from '../../../kernel/clock.js';
import { AuditEntryEntity } from '../persistence/audit-entry.entity.js';

/** One entry of the audit log; `created_at` in the reader's time zone. */
export interface AuditEntryView {
  id: number;
  /** `system` for the service itself */
  actor: string;
  /** username of the person who acted for the actor; null: the actor itself */
  assigned_user: string | null;
  action: string;
  subject: string;
  details: Record<string, unknown>;
  created_at: string;
}

/** A page of the audit log, newest first; `actor` null = everybody. */
export class ListAuditQuery extends Query<{ entries: AuditEntryView[]; total: number }> {
  constructor(
    readonly actor: string | null,
    readonly timeZone: string,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

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
