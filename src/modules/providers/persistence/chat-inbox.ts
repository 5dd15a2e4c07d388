import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { type CustomerEvent, CustomerEvents } from '../../customer-events/index.js';
import type { ChatAccount } from '../chat-account.js';
import { type InboundMessage, textOfMessage } from '../drivers/meta-cloud/callbacks.js';
import { InboundSink } from '../ports/inbound-sink.js';
import { ChatWindows } from './chat-windows.js';

const SYSTEM = 'system';
const ATTEMPTS = 5;
const COLUMNS = ['route_id', 'account_id', 'message_id', 'contact', 'type', 'message', 'sent_at', 'received_at'];
const ROW = `(${COLUMNS.map(() => '?').join(', ')})`;

/** What contacts write to chat accounts: stored once each, however often the upstream repeats it. */
@Injectable()
export class ChatInbox {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly windows: ChatWindows,
    private readonly events: CustomerEvents,
    private readonly inbound: InboundSink,
  ) {}

  /** Stores the messages, opens the windows of who wrote them and tells the account's webhooks, in one transaction. */
  async take(account: ChatAccount, messages: readonly InboundMessage[], receivedAt: Date): Promise<void> {
    if (messages.length === 0) return;
    await inTransaction(this.dataSource, async (tx) => {
      const fresh = await this.store(tx, account, messages, receivedAt);
      // What the upstream tells of a contact (a new number) is nothing that he wrote.
      const written = messages.filter(({ type }) => type !== SYSTEM);
      await this.windows.open(tx, account.id, written);
      const received = fresh.filter(({ type }) => type !== SYSTEM);
      const chat = { routeId: account.id, accountId: account.accountId };
      const inOrder = received.toSorted((a, b) => a.sentAt.getTime() - b.sentAt.getTime());
      await this.inbound.take(
        tx,
        chat,
        inOrder.map(({ contact, message }) => ({ from: contact, text: textOfMessage(message) })),
      );
      await this.events.publish(
        tx,
        received.map((message) => receivedEvent(account.accountId, message)),
      );
    });
  }

  /** @returns the messages that were new */
  private async store(
    tx: EntityManager,
    account: ChatAccount,
    messages: readonly InboundMessage[],
    receivedAt: Date,
  ): Promise<InboundMessage[]> {
    for (let attempt = 1; ; attempt++) {
      const fresh = await this.unknown(tx, account.id, messages);
      if (fresh.length === 0) return fresh;
      try {
        await tx.query(
          `INSERT INTO chat_inbound_messages (${COLUMNS.join(', ')}) VALUES ${fresh.map(() => ROW).join(', ')}`,
          fresh.flatMap(({ messageId, contact, type, message, sentAt }) => [
            account.id,
            account.accountId,
            messageId,
            contact,
            type,
            JSON.stringify(message),
            sentAt,
            receivedAt,
          ]),
        );
        return fresh;
      } catch (error) {
        // The same callback was stored at this moment by another request: what it brought is known now.
        if (!isDuplicateKey(error) || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  private async unknown(
    tx: EntityManager,
    routeId: number,
    messages: readonly InboundMessage[],
  ): Promise<InboundMessage[]> {
    // The column takes spaces at the end for nothing.
    const byId = new Map(messages.map((message) => [message.messageId.trimEnd(), message]));
    const known: { message_id: string }[] = await tx.query(
      'SELECT message_id FROM chat_inbound_messages WHERE route_id = ? AND message_id IN (?)',
      [routeId, [...byId.keys()]],
    );
    for (const { message_id: id } of known) byId.delete(id.trimEnd());
    return [...byId.values()];
  }
}

/** The message as the upstream wrote it (decisions §9); its time in seconds, as text. */
function receivedEvent(
  accountId: number,
  { messageId, contact, type, sentAt, message }: InboundMessage,
): CustomerEvent {
  const event = 'chat.message.received';
  const own = { event, id: messageId, from: contact, timestamp: String(Math.floor(sentAt.getTime() / 1000)), type };
  return { accountId, type: event, body: { ...own, ...message, ...own } };
}
