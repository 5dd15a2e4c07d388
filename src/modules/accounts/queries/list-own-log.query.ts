import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import type { Listed, Page } from '../../../kernel/lists.js';
import { assertOwner } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import { changeEntry, type LogEntryData, loginEntry, type LogKind } from '../http/log-entry.dto.js';
import { AuditEntryEntity } from '../persistence/audit-entry.entity.js';
import { OwnLog } from '../persistence/own-log.js';
import { SecurityEntryEntity } from '../persistence/security-entry.entity.js';

/**
 * What the account, its people and its keys changed, and who logged in or failed to, newest first. Throws 403
 * `Permission denied` for an assigned user, whom the others' addresses do not concern.
 */
export class ListOwnLogQuery extends Query<Listed<LogEntryData>> {
  /** @param kind null = both */
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
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly log: OwnLog,
  ) {}

  async execute({ actor, kind, page }: ListOwnLogQuery): Promise<Listed<LogEntryData>> {
    assertOwner(actor);
    const listed = await this.log.part(actor.id, kind, page);
    const idsOf = (wanted: LogKind): number[] =>
      listed.items.flatMap(({ kind: log, id }) => (log === wanted ? [id] : []));
    const [changes, logins] = await Promise.all([
      this.dataSource.getRepository(AuditEntryEntity).findBy({ id: In(idsOf('change')) }),
      this.dataSource.getRepository(SecurityEntryEntity).findBy({ id: In(idsOf('login')) }),
    ]);
    const shown = [
      ...changes.map((row) => changeEntry(row, actor.timeZone)),
      ...logins.map((row) => loginEntry(row, actor.timeZone)),
    ];
    const byId = new Map(shown.map((entry) => [entry.id, entry]));
    return { ...listed, items: listed.items.flatMap(({ kind: log, id }) => byId.get(`${log}-${id}`) ?? []) };
  }
}
