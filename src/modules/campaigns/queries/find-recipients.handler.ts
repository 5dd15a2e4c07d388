import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { dateTimesOf } from '../../../kernel/clock.js';
import { ChannelRegistry } from '../channel-registry.js';
import { outcomeOf } from '../domain/recipient-outcome.js';
import { type FoundRecipient, RecipientSearch } from '../persistence/recipient-search.js';
import { FindRecipients, type RecipientHit, type RecipientHits } from './find-recipients.query.js';

@QueryHandler(FindRecipients)
export class FindRecipientsHandler implements IQueryHandler<FindRecipients> {
  constructor(
    private readonly search: RecipientSearch,
    private readonly channels: ChannelRegistry,
  ) {}

  async execute(query: FindRecipients): Promise<RecipientHits> {
    const { account, receiver, from, to } = query;
    const result = await this.search.find(receiver, { accountId: account.id, from, to });
    const shown = dateTimesOf(account.timeZone);
    const start = (query.page - 1) * query.limit;
    return {
      hits: result.found.slice(start, start + query.limit).map((found) => this.hit(found, shown)),
      total: result.found.length,
      next: result.next,
    };
  }

  private hit(found: FoundRecipient, shown: (at: Date) => string): RecipientHit {
    const { requestId, channel, broadcastName, createdAt, recipient } = found;
    return {
      request_id: requestId,
      channel,
      broadcast_name: broadcastName,
      seq: recipient.seq,
      receiver: recipient.receiver,
      ...outcomeOf(this.channels.get(channel), recipient),
      attempts: recipient.attempts,
      created_at: shown(createdAt),
      updated_at: shown(recipient.updatedAt),
    };
  }
}
