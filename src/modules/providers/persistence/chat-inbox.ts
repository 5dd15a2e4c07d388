import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { type CustomerEvent, CustomerEvents } from '../../customer-events/index.js';
import type { ChatAccount } from '../chat-account.js';
import {
  type Acquaintance,
  type ChatCallback,
  type ChatSender,
  type ConsentChange,
  type InboundMessage,
  textOfMessage,
} from '../drivers/meta-cloud/callbacks.js';
import { InboundSink } from '../ports/inbound-sink.js';
import { ChatContacts } from './chat-contacts.js';
import { ChatWindows } from './chat-windows.js';

const SYSTEM = 'system';
/** What a change of the settings says in the words of a message. */
const STOP = 'STOP';
const START = 'START';
const ATTEMPTS = 5;
const COLUMNS = ['route_id', 'account_id', 'message_id', 'contact', 'type', 'message', 'sent_at', 'received_at'];
const ROW = `(${COLUMNS.map(() => '?').join(', ')})`;

/** What contacts write to chat accounts: stored once each, however often the upstream repeats it. */
@Injectable()
export class ChatInbox {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly windows: ChatWindows,
    private readonly contacts: ChatContacts,
    private readonly events: CustomerEvents,
    private readonly inbound: InboundSink,
  ) {}

  /**
   * Stores the messages, opens the windows of their senders and publishes them to the account's webhooks, in one
   * transaction.
   * @param beside what the same callback reported of contacts
   */
  async take(
    account: ChatAccount,
    messages: readonly InboundMessage[],
    receivedAt: Date,
    beside: Pick<ChatCallback, 'consents' | 'acquaintances'> = { consents: [], acquaintances: [] },
  ): Promise<void> {
    if (messages.length + beside.consents.length + beside.acquaintances.length === 0) return;
    const chat = { routeId: account.id, accountId: account.accountId };
    await inTransaction(this.dataSource, async (tx) => {
      const met = await this.contacts.learn(tx, account.id, [...beside.acquaintances, ...messages.flatMap(acquainted)]);
      if (met.length > 0) await this.inbound.identify(tx, chat, met);
      const fresh = messages.length > 0 ? await this.store(tx, account, messages, receivedAt) : [];
      // What the upstream reports of a contact (a new number) is no message of that contact.
      const received = fresh.filter(({ type }) => type !== SYSTEM);
      await this.openWindows(
        tx,
        account.id,
        messages.filter(({ type }) => type !== SYSTEM),
      );
      await this.hear(tx, chat, received, beside.consents);
      await this.events.publish(
        tx,
        received.map((message) => receivedEvent(account.accountId, message)),
      );
    });
  }

  /** A contact may be answered under each of its addresses. */
  private async openWindows(tx: EntityManager, routeId: number, written: readonly InboundMessage[]): Promise<void> {
    const senders = await this.contacts.complete(tx, routeId, written);
    const opened = written.flatMap(({ sentAt }, index) =>
      addressesOf(senders[index]).map((contact) => ({ contact, sentAt })),
    );
    await this.windows.open(tx, routeId, opened);
  }

  /** Stop words and settings, in the order in which they were said; by a user id they count for the number too. */
  private async hear(
    tx: EntityManager,
    chat: { routeId: number; accountId: number },
    received: readonly InboundMessage[],
    consents: readonly ConsentChange[],
  ): Promise<void> {
    const said = [
      ...received.map(({ number, userId, sentAt, message }) => ({
        number,
        userId,
        at: sentAt,
        text: textOfMessage(message),
      })),
      ...consents.map(({ number, userId, saidAt, wants }) => ({
        number,
        userId,
        at: saidAt,
        text: wants ? START : STOP,
      })),
    ].sort((a, b) => a.at.getTime() - b.at.getTime());
    const senders = await this.contacts.complete(tx, chat.routeId, said);
    const texts = said.flatMap(({ number, text }, index) =>
      addressesOf(senders[index]).map((from) => ({ from, text, isAlias: number !== null && from !== number })),
    );
    await this.inbound.take(tx, chat, texts);
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
          fresh.flatMap(({ messageId, number, userId, type, message, sentAt }) => [
            account.id,
            account.accountId,
            messageId,
            number ?? userId,
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

const addressesOf = (sender: ChatSender | undefined): string[] =>
  [sender?.number, sender?.userId].filter((address) => typeof address === 'string');

const acquainted = ({ number, userId }: ChatSender): Acquaintance[] =>
  number !== null && userId !== null ? [{ number, userId }] : [];

/** The message as the upstream wrote it (reference/webhooks#types); its time in seconds, as text. */
function receivedEvent(
  accountId: number,
  { messageId, number, userId, type, sentAt, message }: InboundMessage,
): CustomerEvent {
  const event = 'chat.message.received';
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const own = { event, id: messageId, from: number, from_user_id: userId, timestamp, type };
  return { accountId, type: event, body: { ...own, ...message, ...own } };
}
