import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTimesOf } from '../../../kernel/clock.js';
import { Channels, outcomeOf } from '../../engine/index.js';
import type { RecipientHitData } from '../http/contact.dto.js';
import { type FoundRecipient, RecipientSearch } from '../persistence/recipient-search.js';

/** One page of the hits. */
export interface RecipientHits {
  hits: RecipientHitData[];
  total: number;
  /** `to` of the search that goes on where this one stopped; null = the whole time was looked at */
  next: Date | null;
}

/**
 * Did this number get it? Looks through the account's campaigns of a time, newest first.
 * @throws AppError too_many while too many searches run
 */
export class FindRecipientsQuery extends Query<RecipientHits> {
  /** @param number digits */
  constructor(
    readonly account: { id: number; timeZone: string },
    readonly number: string,
    readonly from: Date,
    readonly to: Date,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(FindRecipientsQuery)
export class FindRecipientsHandler implements IQueryHandler<FindRecipientsQuery> {
  constructor(
    private readonly search: RecipientSearch,
    private readonly channels: Channels,
  ) {}

  async execute(query: FindRecipientsQuery): Promise<RecipientHits> {
    const { account, number, from, to } = query;
    const result = await this.search.find(number, { accountId: account.id, from, to });
    const shown = dateTimesOf(account.timeZone);
    const start = (query.page - 1) * query.limit;
    return {
      hits: result.found.slice(start, start + query.limit).map((found) => this.hit(found, shown)),
      total: result.found.length,
      next: result.next,
    };
  }

  private hit(found: FoundRecipient, shown: (at: Date) => string): RecipientHitData {
    const { requestId, channel, broadcastName, createdAt, recipient } = found;
    return {
      request_id: requestId,
      channel,
      broadcast_name: broadcastName,
      seq: recipient.seq,
      receiver: recipient.number,
      ...outcomeOf(this.channels.get(channel), recipient),
      attempts: recipient.attempts,
      created_at: shown(createdAt),
      updated_at: shown(recipient.updatedAt),
    };
  }
}
