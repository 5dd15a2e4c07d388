import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { type AuditEntryAnswer, auditEntryAnswer } from '../http/audit-entry.dto.js';
import { AuditEntryEntity } from '../persistence/audit-entry.entity.js';

/** A page of the audit log, newest first; `actor` null = all actors. */
export class ListAuditQuery extends Query<{ entries: AuditEntryAnswer[]; total: number }> {
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

  async execute(query: ListAuditQuery): Promise<{ entries: AuditEntryAnswer[]; total: number }> {
    const [rows, total] = await this.log.findAndCount({
      where: query.actor === null ? {} : { actor: query.actor },
      order: { id: 'DESC' },
      skip: (query.page - 1) * query.limit,
      take: query.limit,
    });
    return { entries: rows.map((row) => auditEntryAnswer(row, query.timeZone)), total };
  }
}
