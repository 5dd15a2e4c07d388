import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AccountDirectory, type Actor } from '../../accounts/index.js';
import { actsAsStaff } from '../../campaigns/index.js';
import { type FoundSessionMessageData, sessionMessageData } from '../http/own-session-message.dto.js';
import { SessionMessageReader } from '../persistence/session-message-reader.js';
import { sessionErrors } from '../session-messages.errors.js';

/** One session message: an own one, for staff that of any account; times in the zone of its account. */
export class FindSessionMessageQuery extends Query<FoundSessionMessageData> {
  /** @throws AppError not_found `Message not found`, the same for a foreign one and for none */
  constructor(
    readonly actor: Actor,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(FindSessionMessageQuery)
export class FindSessionMessageHandler implements IQueryHandler<FindSessionMessageQuery> {
  constructor(
    private readonly reader: SessionMessageReader,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ actor, id }: FindSessionMessageQuery): Promise<FoundSessionMessageData> {
    const row = await this.reader.byId(id);
    if (!row || (row.account_id !== actor.account.id && !actsAsStaff(actor))) throw sessionErrors.notFound();
    const owner = await this.accounts.byId(row.account_id);
    const { username, timeZone } = owner ?? { username: '', timeZone: 'UTC' };
    return Object.assign(sessionMessageData(row, timeZone), { username });
  }
}
