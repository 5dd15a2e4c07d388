import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { isUserId, digitsOf } from '../../kernel/contacts.js';
import { spellingsOf } from '../../kernel/phone-numbers.js';
import { inTransaction, isDuplicateKey, jsonRows } from '../../platform/database/index.js';
import { type CustomerEvent, CustomerEvents } from '../customer-events/index.js';
import type { ChatAccount } from './chat-account.js';
import {
  acquainted,
  type Acquaintance,
  type ChatCallback,
  type ChatSender,
  type ConsentChange,
  type InboundMessage,
  textOfMessage,
} from './drivers/meta-cloud/callbacks.js';
import { ConsentSink, type InboundText } from './message-driver.js';
import { ChatNumberPairs } from './chat-number-pairs.store.js';

const PAIRS = `JSON_TABLE(?, '$[*]' COLUMNS (
  user_id VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]',
  number VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$[1]')) j`;

interface Row {
  user_id: string;
  number: string;
}

/** Numbers and user ids of each chat account's contacts, learned from callbacks. */
@Injectable()
export class ChatContacts {
  async learn(tx: EntityManager, routeId: number, pairs: readonly Acquaintance[]): Promise<Acquaintance[]> {
    const latest = new Map(pairs.map(({ userId, number }) => [userId, number]));
    if (latest.size === 0) return [];
    const known: (Row & { is_stale: number })[] = await tx.query(
      `SELECT user_id, number, updated_at < UTC_TIMESTAMP(3) - INTERVAL 1 DAY AS is_stale FROM chat_contacts
       WHERE route_id = ? AND user_id IN (?)`,
      [routeId, [...latest.keys()]],
    );
    const same = known.filter((row) => latest.get(row.user_id) === row.number);
    // A known pair is refreshed once a day only, for its retention (`tables.ts`).
    for (const row of same) if (Number(row.is_stale) === 0) latest.delete(row.user_id);
    // Sorted by key, so that concurrent callbacks cannot deadlock.
    const sorted = [...latest].sort(([a], [b]) => (a < b ? -1 : 1));
    if (sorted.length === 0) return [];
    await tx.query(
      `INSERT INTO chat_contacts (route_id, user_id, number, updated_at)
       SELECT ?, j.user_id, j.number, UTC_TIMESTAMP(3) FROM ${PAIRS}
       ON DUPLICATE KEY UPDATE number = VALUES(number), updated_at = VALUES(updated_at)`,
      [routeId, jsonRows(sorted)],
    );
    const isKnown = new Set(same.map((row) => row.user_id));
    return sorted.flatMap(([userId, number]) => (isKnown.has(userId) ? [] : { userId, number }));
  }

  /** The senders with number and user id where known, in the same order. */
  async complete(tx: EntityManager, routeId: number, senders: readonly ChatSender[]): Promise<ChatSender[]> {
    const userIds = senders.flatMap(({ number, userId }) => (number === null && userId !== null ? [userId] : []));
    const numbers = senders.flatMap(({ number, userId }) => (number !== null && userId === null ? [number] : []));
    const byUserId = new Map(
      (await this.rows(tx, routeId, 'user_id', userIds)).map((row) => [row.user_id, row.number]),
    );
    const byNumber = new Map((await this.rows(tx, routeId, 'number', numbers)).map((row) => [row.number, row.user_id]));
    return senders.map(({ number, userId }) => ({
      number: number ?? byUserId.get(userId ?? '') ?? null,
      userId: userId ?? byNumber.get(number ?? '') ?? null,
    }));
  }

  private rows(
    tx: EntityManager,
    routeId: number,
    column: 'user_id' | 'number',
    wanted: readonly string[],
  ): Promise<Row[]> {
    if (wanted.length === 0) return Promise.resolve([]);
    return tx.query(`SELECT user_id, number FROM chat_contacts WHERE route_id = ? AND ${column} IN (?)`, [
      routeId,
      [...new Set(wanted)],
    ]);
  }
}

const WINDOW_MS = 24 * 3_600_000;

/** The 24-hour windows (reference/session-messages#24-hour-window): an inbound message allows free-form replies for a day. */
@Injectable()
export class ChatWindows {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Also under another spelling of the number, and under the number by which the provider knows it. */
  async isOpen(routeId: number, contact: string): Promise<boolean> {
    const contacts = isUserId(contact) ? [contact] : spellingsOf(digitsOf(contact));
    const open: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM chat_windows WHERE route_id = ? AND contact IN (?) AND open_until > UTC_TIMESTAMP(3)
       UNION ALL
       SELECT 1 FROM chat_number_pairs p JOIN chat_windows w ON w.route_id = p.route_id AND w.contact = p.provider_number
       WHERE p.route_id = ? AND p.input IN (?) AND w.open_until > UTC_TIMESTAMP(3) LIMIT 1`,
      [routeId, contacts, routeId, contacts],
    );
    return open.length > 0;
  }

  /** Opens each contact's window for a day from its message; never shortens one. */
  async open(
    tx: EntityManager,
    routeId: number,
    messages: readonly { contact: string; sentAt: Date }[],
  ): Promise<void> {
    const until = new Map<string, number>();
    for (const { contact, sentAt } of messages) {
      until.set(contact, Math.max(until.get(contact) ?? 0, sentAt.getTime() + WINDOW_MS));
    }
    // Sorted by key, so that concurrent callbacks cannot deadlock.
    const rows = [...until].sort(([a], [b]) => (a < b ? -1 : 1));
    if (rows.length === 0) return;
    await tx.query(
      `INSERT INTO chat_windows (route_id, contact, open_until) VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}
       ON DUPLICATE KEY UPDATE open_until = GREATEST(open_until, VALUES(open_until))`,
      rows.flatMap(([contact, openUntil]) => [routeId, contact, new Date(openUntil)]),
    );
  }
}

const SYSTEM = 'system';
const STOP = 'STOP';
const START = 'START';
/** Longer texts hold no stop word. */
const LONGEST_CONSENT = 100;
const ATTEMPTS = 5;
const COLUMNS = ['route_id', 'account_id', 'message_id', 'contact', 'type', 'message', 'sent_at', 'received_at'];
const ROW = `(${COLUMNS.map(() => '?').join(', ')})`;

/** Messages from contacts to chat accounts, stored once each although the provider repeats them. */
@Injectable()
export class ChatInbox {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly windows: ChatWindows,
    private readonly contacts: ChatContacts,
    private readonly pairs: ChatNumberPairs,
    private readonly events: CustomerEvents,
    private readonly consents: ConsentSink,
  ) {}

  /** Stores messages, opens windows and publishes webhooks in one transaction. @param beside reports of the same callback */
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
      if (met.length > 0) await this.consents.identify(tx, chat, met);
      const fresh = messages.length > 0 ? await this.store(tx, account, messages, receivedAt) : [];
      // The provider's reports about a contact (a new number) are not messages of the contact.
      const received = fresh.filter(({ type }) => type !== SYSTEM);
      await this.openWindows(
        tx,
        account.id,
        messages.filter(({ type }) => type !== SYSTEM),
      );
      await this.receive(tx, chat, received, beside.consents);
      await this.events.publish(
        tx,
        received.map((message) => receivedEvent(account.accountId, message)),
      );
    });
  }

  /** A contact may be answered under both its number and its user id. */
  private async openWindows(tx: EntityManager, routeId: number, written: readonly InboundMessage[]): Promise<void> {
    const senders = await this.contacts.complete(tx, routeId, written);
    const opened = written.flatMap(({ sentAt }, index) =>
      addressesOf(senders[index]).map((contact) => ({ contact, sentAt })),
    );
    await this.windows.open(tx, routeId, opened);
  }

  /** Applies stop words and consent settings in order; a user id counts for its number too. */
  private async receive(
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
    const texts: InboundText[] = [];
    for (const [index, { number, text }] of said.entries()) {
      const own = addressesOf(senders[index]);
      texts.push(...own.map((from) => ({ from, text, isAlias: number !== null && from !== number })));
      const known = senders[index]?.number;
      if (typeof known !== 'string' || LONGEST_CONSENT < text.length) continue;
      const inputs = await this.pairs.inputsOf(tx, chat.routeId, known);
      texts.push(...inputs.map((from) => ({ from, text })));
    }
    await this.consents.take(tx, chat, texts);
  }

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
        // Another request stored the same callback at this moment: read again what is known.
        if (!isDuplicateKey(error) || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  private async unknown(
    tx: EntityManager,
    routeId: number,
    messages: readonly InboundMessage[],
  ): Promise<InboundMessage[]> {
    // the column ignores trailing spaces
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

/** The provider's message, unchanged (reference/webhooks#types); its time in seconds, as text. */
function receivedEvent(
  accountId: number,
  { messageId, number, userId, type, sentAt, message }: InboundMessage,
): CustomerEvent {
  const event = 'chat.message.received';
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const own = { event, id: messageId, from: number, from_user_id: userId, timestamp, type };
  return { accountId, type: event, body: { ...own, ...message, ...own } };
}
