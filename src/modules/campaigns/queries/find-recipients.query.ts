import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { dateTimesOf } from '../../../kernel/clock.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { type Listed, offsetOf, type Page } from '../../../kernel/lists.js';
import { Channels, outcomeOf } from '../../engine/index.js';
import type { RecipientHitData } from '../http/contact.dto.js';
import { type FoundRecipient, type HitPlace, placeOfHit, RecipientSearch } from '../persistence/recipient-search.js';

/** A part of the hits; the total is of those that this search found. */
export interface RecipientHits extends Listed<RecipientHitData> {
  /** `to` of the search that goes on where this one stopped; null = the whole time was looked at */
  nextTo: Date | null;
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
    readonly page: Page,
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
    const { account, number, from, to, page } = query;
    const after = page.after === null ? null : readPlace(String(page.after));
    const { found, next, end } = await this.search.find(number, { accountId: account.id, from, to, after });
    const shown = dateTimesOf(account.timeZone);
    const start = offsetOf(page);
    const hits = found.slice(start, start + page.limit);
    const last = hits.at(-1);
    const goesOn = last && found.length > start + page.limit ? placeOfHit(last) : end;
    return {
      items: hits.map((hit) => this.hit(hit, shown)),
      total: found.length,
      isCapped: end !== null,
      next: goesOn && `${goesOn.campaignId}.${goesOn.seq}`,
      nextTo: next,
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

/** @throws AppError invalid `cursor is invalid` */
function readPlace(text: string): HitPlace {
  const [, campaignId, seq] = /^(\d{1,16})\.(\d{1,10})$/.exec(text) ?? [];
  if (campaignId === undefined || seq === undefined) throw fieldErrors.invalid('cursor');
  return { campaignId: Number(campaignId), seq: Number(seq) };
}
