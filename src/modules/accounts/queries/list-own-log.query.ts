import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Listed, Page } from '../../../kernel/lists.js';
import { assertOwner } from '../domain/account-policy.js';
import type { Account } from '../domain/account.js';
import type { LogEntryData, LogKind } from '../http/log-entry.dto.js';
import { OwnLog } from '../persistence/own-log.js';

/**
 * What the account, its people and its keys changed and sent, what staff changed on it, and who logged in or failed to,
 * newest first. Throws 403
 * `Permission denied` for an assigned user, whom the others' addresses do not concern.
 */
export class ListOwnLogQuery extends Query<Listed<LogEntryData>> {
  /** @param kind null = all */
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
    assertOwner(actor);
    return this.log.part(actor.id, kind, page, actor);
  }
}
