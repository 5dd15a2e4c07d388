import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { CustomerEvent } from '../../customer-events/index.js';
import type { DecidedText } from './inbound-messages.store.js';

/** The request ids of campaigns, for events and answers. */
@Injectable()
export class RequestIds {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async of(campaignIds: readonly number[]): Promise<Map<number, string>> {
    const ids = [...new Set(campaignIds)];
    if (ids.length === 0) return new Map();
    const rows: { id: number; request_id: string }[] = await this.dataSource.query(
      'SELECT id, request_id FROM campaigns WHERE id IN (?)',
      [ids],
    );
    return new Map(rows.map(({ id, request_id: requestId }) => [Number(id), requestId]));
  }
}

/** `{ request_id, seq }` of the recipient whose message is answered; null = none is known. */
export function inReplyTo(
  { campaignId, seq }: { campaignId: number | null; seq: number | null },
  requestIds: ReadonlyMap<number, string>,
): { request_id: string; seq: number } | null {
  const requestId = campaignId === null ? undefined : requestIds.get(Number(campaignId));
  return requestId === undefined || seq === null ? null : { request_id: requestId, seq };
}

/** The event of a text (reference/webhooks#types). */
export function receivedEvent(text: DecidedText, requestIds: ReadonlyMap<number, string>): CustomerEvent {
  const event = 'sms.message.received';
  const { id, sender: from, recipient: to, parts, incomplete, encoding, keyword, accountId, receivedAt } = text;
  return {
    accountId,
    type: event,
    body: {
      ...{ event, id, from, to, text: text.text, parts, incomplete, encoding, keyword },
      in_reply_to: inReplyTo(text, requestIds),
      received_at: receivedAt.toISOString(),
    },
  };
}
