import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Raw, Repository } from 'typeorm';
import { dateTime } from '../../../kernel/clock.js';
import { SecurityEntryEntity } from '../persistence/security-entry.entity.js';
import { ListSecurityLogQuery, type SecurityEntryView } from './list-security-log.query.js';

/** The column is ASCII: a text that is not would mix collations, and is nobody's address. */
const isAddress = (ip: string) => Raw((column) => `${column} = CONVERT(:ip USING ascii)`, { ip });

@QueryHandler(ListSecurityLogQuery)
export class ListSecurityLogHandler implements IQueryHandler<ListSecurityLogQuery> {
  constructor(@InjectRepository(SecurityEntryEntity) private readonly log: Repository<SecurityEntryEntity>) {}

  async execute(query: ListSecurityLogQuery): Promise<{ entries: SecurityEntryView[]; total: number }> {
    const { username, ip, page, limit } = query;
    const [rows, total] = await this.log.findAndCount({
      where: { ...(username === null ? {} : { username }), ...(ip === null ? {} : { ip: isAddress(ip) }) },
      order: { id: 'DESC' },
      skip: (page - 1) * limit,
      take: limit,
    });
    const entries = rows.map(({ createdAt, ...row }) => ({ ...row, created_at: dateTime(createdAt, query.timeZone) }));
    return { entries, total };
  }
}
