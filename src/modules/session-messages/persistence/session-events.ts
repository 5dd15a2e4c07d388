import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CHAT_EVENT, CHAT_STATUS_LABELS } from '../../channels/chat/index.js';
import { deliveryRecord, type RecipientStatus } from '../../engine/index.js';
import { CustomerEvents } from '../../customer-events/index.js';

interface SessionRow {
  id: number;
  account_id: number;
  receiver: string;
  status: RecipientStatus;
  provider_message_id: string | null;
  scheduled: number;
  error_code: number | null;
  error_message: string | null;
}

const CHANNEL = { event: CHAT_EVENT, statusLabels: CHAT_STATUS_LABELS };

/**
 * Publishes the events of session messages (reference/session-messages#statuses), in the transaction of their
 * statuses.
 */
@Injectable()
export class SessionEvents {
  constructor(private readonly events: CustomerEvents) {}

  /**
   * @param ids messages whose status was just written
   * @param providerIds the provider's id of those whose row does not have it yet
   */
  async publish(tx: EntityManager, ids: readonly number[], providerIds?: ReadonlyMap<number, string>): Promise<void> {
    if (ids.length === 0 || !this.events.hasSubscribers) return;
    const rows: SessionRow[] = await tx.query(
      `SELECT id, account_id, receiver, status, provider_message_id, scheduled, error_code, error_message
       FROM session_messages WHERE id IN (?)`,
      [ids],
    );
    await this.events.publish(
      tx,
      rows.map((row) => {
        const { account_id: accountId, receiver, status, error_code: errorCode, error_message: errorMessage } = row;
        const recipient = { number: receiver, status, errorCode, errorMessage, duration: null };
        const body = deliveryRecord(CHANNEL, idOf(row, providerIds), recipient);
        return { accountId, type: CHAT_EVENT, body };
      }),
    );
  }
}

/** The id that the answer to the send carried: the provider's, or ours for a scheduled message and where there is no other. */
const idOf = (row: SessionRow, providerIds?: ReadonlyMap<number, string>): string =>
  (row.scheduled ? null : (row.provider_message_id ?? providerIds?.get(row.id))) ?? String(row.id);
