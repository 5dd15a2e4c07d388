import ipaddr from 'ipaddr.js';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { dateTime } from '../../../kernel/clock.js';
import { clientIp } from '../../../platform/security/index.js';
import { SecurityEntryEntity } from '../persistence/security-entry.entity.js';

/** One entry of the security log; `created_at` in the reader's time zone. */
export interface SecurityEntryView {
  id: number;
  event: string;
  username: string;
  ip: string;
  /** so many equal ones at that moment */
  times: number;
  created_at: string;
}

/** A page of the security log, newest first; null = any name, any address. */
export class ListSecurityLogQuery extends Query<{ entries: SecurityEntryView[]; total: number }> {
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

  async execute(query: ListSecurityLogQuery): Promise<{ entries: SecurityEntryView[]; total: number }> {
    const { username, ip, page, limit } = query;
    if (ip !== null && !ipaddr.isValid(ip)) return { entries: [], total: 0 }; // the column takes ASCII alone
    const [rows, total] = await this.log.findAndCount({
      where: { ...(username === null ? {} : { username }), ...(ip === null ? {} : { ip: clientIp({ ip }) }) },
      order: { id: 'DESC' },
      skip: (page - 1) * limit,
      take: limit,
    });
    const entries = rows.map(({ createdAt, ...row }) => ({ ...row, created_at: dateTime(createdAt, query.timeZone) }));
    return { entries, total };
  }
}
