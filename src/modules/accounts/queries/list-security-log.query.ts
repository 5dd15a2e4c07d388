import ipaddr from 'ipaddr.js';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { clientIp } from '../../../platform/security/index.js';
import { type SecurityEntryAnswer, securityEntryAnswer } from '../http/security-entry.dto.js';
import { SecurityEntryEntity } from '../persistence/security-entry.entity.js';

/** A page of the security log, newest first; null = any name, any address. */
export class ListSecurityLogQuery extends Query<{ entries: SecurityEntryAnswer[]; total: number }> {
  constructor(
    readonly username: string | null,
    readonly ip: string | null,
    readonly timeZone: string,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListSecurityLogQuery)
export class ListSecurityLogHandler implements IQueryHandler<ListSecurityLogQuery> {
  constructor(@InjectRepository(SecurityEntryEntity) private readonly log: Repository<SecurityEntryEntity>) {}

  async execute(query: ListSecurityLogQuery): Promise<{ entries: SecurityEntryAnswer[]; total: number }> {
    const { username, ip, page, limit } = query;
    if (ip !== null && !ipaddr.isValid(ip)) return { entries: [], total: 0 }; // the column takes ASCII alone
    const [rows, total] = await this.log.findAndCount({
      where: { ...(username === null ? {} : { username }), ...(ip === null ? {} : { ip: clientIp({ ip }) }) },
      order: { id: 'DESC' },
      skip: (page - 1) * limit,
      take: limit,
    });
    return { entries: rows.map((row) => securityEntryAnswer(row, query.timeZone)), total };
  }
}
