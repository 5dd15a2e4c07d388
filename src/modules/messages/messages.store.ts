import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { firstIdAt, messageId, type MessageKey } from '../../kernel/ids.js';
import { objectOrEmpty } from '../../kernel/json-values.js';
import { textOrNull } from '../../kernel/text.js';
import { ReadDatabase, type ReadSource } from '../../platform/database/index.js';
import { idBehind, lowestId } from '../campaigns/index.js';
import { RecipientStatus } from '../engine/index.js';
import { type ListedMessage, type MessageFilter, type MessagePosition, type Placed } from './listed-message.js';
import type { Direction } from './messages.errors.js';
import { SentRecipients } from './sent-recipients.store.js';

interface SessionRow {
  id: number;
  receiver: string;
  content: string;
  status: RecipientStatus;
  error_code: number | null;
  error_message: string | null;
  tags: string | null;
  is_test: number;
  scheduled_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

interface TextRow {
  id: number;
  sender: string;
  recipient: string;
  text: string;
  parts: number;
  received_at: Date;
}

interface ChatRow {
  id: number;
  contact: string;
  type: string;
  message: string;
  received_at: Date;
}

const SESSION_COLUMNS =
  'id, receiver, content, status, error_code, error_message, tags, is_test, scheduled_at, created_at, updated_at';
const TEXT_COLUMNS = 'id, sender, recipient, text, parts, received_at';
const CHAT_COLUMNS = 'id, contact, type, message, received_at';
const LAST = Number.MAX_SAFE_INTEGER;
/** The list's first position. */
const NEWEST: MessagePosition = { id: LAST, seq: 0, chat: LAST };
/** How far ids of chat messages, which are given at their commit, may be from the order of time. */
const APART = 1_000;
/** Ends of the ids of chat messages in a time range. */
const CHAT_ENDS = `SELECT
  (SELECT id FROM chat_inbound_messages WHERE received_at >= ? - INTERVAL 1 MINUTE ORDER BY received_at LIMIT 1) AS first,
  (SELECT id FROM chat_inbound_messages WHERE received_at <= ? + INTERVAL 1 MINUTE ORDER BY received_at DESC LIMIT 1) AS last
  LIMIT 1`;

/** Reads what an account has sent and received, from the tables of campaigns, session messages and inbound messages. */
@Injectable()
export class MessageReader {
  constructor(
    @Inject(ReadDatabase) private readonly reads: ReadSource,
    @InjectDataSource() private readonly writer: ReadSource,
    private readonly recipients: SentRecipients,
  ) {}

  /** One message of the account, from the writer: it may be just accepted. */
  async byKey(accountId: number, key: MessageKey): Promise<ListedMessage | null> {
    if (key.kind === 'out') return (await this.recipients.one(accountId, key))?.message ?? null;
    const where = { index: '', sql: 'id = ? AND account_id = ?', values: [key.id, accountId] };
    if (key.kind === 'ses') return (await this.sessions(this.writer, where, 1))[0]?.message ?? null;
    if (key.kind === 'in') return (await this.texts(this.writer, where, 1))[0]?.message ?? null;
    return (await this.chats(this.writer, where, 1))[0]?.message ?? null;
  }

  /** Messages behind a position, newest first. @returns at most `limit`, and where to go on (null = that is all) */
  async behind(
    accountId: number,
    filter: MessageFilter,
    after: MessagePosition | null,
    limit: number,
  ): Promise<{ messages: ListedMessage[]; next: MessagePosition | null }> {
    const position = after ?? NEWEST;
    const more = limit + 1;
    // a test has no answers
    const isWanted = (direction: Direction): boolean =>
      (filter.direction ?? direction) === direction && !(filter.isTest && direction === 'inbound');
    const { sql, values } = rangeOf('created_at', filter, position);
    const sessions = wheresOf(['session_messages', 'receiver'], accountId, filter, {
      ...{ sql: `is_test = ? AND ${sql}`, values: [Number(filter.isTest), ...values] },
    });
    const texts = wheresOf(['inbound_messages', 'sender'], accountId, filter, rangeOf('received_at', filter, position));
    const [recipients, ...others] = await Promise.all([
      isWanted('outbound') ? this.recipients.behind(accountId, filter, position, more) : { placed: [], end: null },
      ...(isWanted('outbound') ? sessions.map((where) => this.sessions(this.reads, where, more)) : []),
      ...(isWanted('inbound') ? texts.map((where) => this.texts(this.reads, where, more)) : []),
      isWanted('inbound') ? this.chatsBehind(accountId, filter, position, more) : [],
    ]);
    const { end } = recipients;
    const isBefore = ({ at }: Placed): boolean => end === null || at.id > end.id;
    const all = [...recipients.placed, ...others.flat().filter(isBefore)].sort(inOrder);
    const shown = all.slice(0, limit);
    const next = all.length > limit ? behindOf(shown, position) : end && { ...behindOf(shown, position), ...end };
    return { messages: shown.map(({ message }) => message), next };
  }

  private async sessions(source: ReadSource, where: Where, limit: number): Promise<Placed[]> {
    const rows: SessionRow[] = await source.query(
      `SELECT ${SESSION_COLUMNS} FROM session_messages ${where.index} WHERE ${where.sql} ORDER BY id DESC LIMIT ?`,
      [...where.values, limit],
    );
    return rows.map((row): Placed => {
      const content = objectOrEmpty(JSON.parse(row.content));
      const isFailed = row.status === RecipientStatus.Failed;
      return {
        at: { id: row.id, seq: 0 },
        chat: 0,
        message: {
          id: messageId({ kind: 'ses', id: row.id }),
          direction: 'outbound',
          channel: 'session',
          type: String(content['type']),
          from: null,
          to: row.receiver,
          text: textIn(content),
          status: row.status,
          isScheduled: row.scheduled_at !== null,
          errorCode: isFailed ? row.error_code : null,
          errorMessage: isFailed ? row.error_message : null,
          credits: 0,
          refunded: false,
          isTest: row.is_test === 1,
          segments: 1,
          tags: row.tags === null ? null : (JSON.parse(row.tags) as ListedMessage['tags']),
          requestId: null,
          createdAt: row.created_at,
          scheduledAt: row.scheduled_at,
          updatedAt: row.updated_at,
        },
      };
    });
  }

  private async texts(source: ReadSource, where: Where, limit: number): Promise<Placed[]> {
    const rows: TextRow[] = await source.query(
      `SELECT ${TEXT_COLUMNS} FROM inbound_messages ${where.index} WHERE ${where.sql} ORDER BY id DESC LIMIT ?`,
      [...where.values, limit],
    );
    return rows.map(({ id, sender: from, recipient: to, text, parts, received_at: at }): Placed => ({
      at: { id, seq: 0 },
      chat: 0,
      message: inbound(
        messageId({ kind: 'in', id }),
        { channel: 'sms', type: 'text', from, to, text, segments: parts },
        at,
      ),
    }));
  }

  private async chatsBehind(
    accountId: number,
    filter: MessageFilter,
    { chat }: MessagePosition,
    limit: number,
  ): Promise<Placed[]> {
    const { from, to } = filter;
    const [ends]: { first: number | null; last: number | null }[] = await this.reads.query(CHAT_ENDS, [from, to]);
    const range = {
      sql: 'id < ? AND id >= ? AND id <= ? AND received_at >= ? AND received_at <= ?',
      values: [chat, Number(ends?.first ?? LAST) - APART, Number(ends?.last ?? 0) + APART, from, to],
    };
    const wheres = wheresOf(['chat_inbound_messages', 'contact'], accountId, filter, range);
    return inOrderOfIds((await Promise.all(wheres.map((where) => this.chats(this.reads, where, limit)))).flat());
  }

  private async chats(source: ReadSource, where: Where, limit: number): Promise<Placed[]> {
    const rows: ChatRow[] = await source.query(
      `SELECT ${CHAT_COLUMNS} FROM chat_inbound_messages ${where.index} WHERE ${where.sql} AND type <> 'system' ORDER BY id DESC LIMIT ?`,
      [...where.values, limit],
    );
    return rows.map(({ id, contact: from, type, message, received_at: at }): Placed => {
      const text = textIn(objectOrEmpty(JSON.parse(message)));
      return {
        at: { id: firstIdAt(at), seq: 0 },
        chat: Number(id),
        message: inbound(
          messageId({ kind: 'chat', id: Number(id) }),
          { channel: 'session', type, from, to: null, text, segments: 1 },
          at,
        ),
      };
    });
  }
}

interface Where {
  index: string;
  sql: string;
  values: readonly unknown[];
}

/** Rows behind a position, in tables whose ids are of the moment of their row. @param column the row's time */
const rangeOf = (column: string, { from, to }: MessageFilter, { id }: MessagePosition): Omit<Where, 'index'> => ({
  sql: `id < ? AND id >= ? AND ${column} >= ? AND ${column} <= ?`,
  values: [Math.min(id, idBehind(to)), lowestId(from), from, to],
});

/** A range of an account's rows, each spelling of a wanted number by itself. @param table and the column of the number */
const wheresOf = (
  [table, column]: readonly [string, string],
  accountId: number,
  { numbers }: MessageFilter,
  { sql, values }: Omit<Where, 'index'>,
): Where[] =>
  numbers === null
    ? [
        {
          index: `FORCE INDEX (ix_${table}_account)`,
          sql: `account_id = ? AND ${sql}`,
          values: [accountId, ...values],
        },
      ]
    : numbers.map((number) => ({
        index: `FORCE INDEX (ix_${table}_${column})`,
        sql: `account_id = ? AND ${column} = ? AND ${sql}`,
        values: [accountId, number, ...values],
      }));

/** Chat messages go on by their ids: one that has a later moment than a newer one takes the place of that one. */
function inOrderOfIds(chats: readonly Placed[]): Placed[] {
  let lowest = LAST;
  return chats
    .toSorted((a, b) => b.chat - a.chat)
    .map((placed) => {
      lowest = Math.min(lowest, placed.at.id);
      return { ...placed, at: { id: lowest, seq: 0 } };
    });
}

const inbound = (
  id: string,
  said: Pick<ListedMessage, 'channel' | 'type' | 'from' | 'to' | 'text' | 'segments'>,
  at: Date,
): ListedMessage => ({
  ...{ id, direction: 'inbound', ...said, status: null, isScheduled: false, errorCode: null, errorMessage: null },
  ...{
    credits: 0,
    refunded: false,
    isTest: false,
    tags: null,
    requestId: null,
    scheduledAt: null,
    createdAt: at,
    updatedAt: at,
  },
});

/** The words of a chat message; null = it has none. */
function textIn(message: Readonly<Record<string, unknown>>): string | null {
  const part = objectOrEmpty(message[String(message['type'])]);
  return textOrNull(part['body']) ?? textOrNull(part['caption']);
}

const inOrder = (a: Placed, b: Placed): number => b.at.id - a.at.id || a.at.seq - b.at.seq || b.chat - a.chat;

/** Behind what is shown; a source of which nothing is shown stays where it was. */
function behindOf(shown: readonly Placed[], before: MessagePosition): MessagePosition {
  const last = shown.findLast(({ chat }) => chat === 0)?.at ?? before;
  const chat = shown.findLast((placed) => placed.chat > 0)?.chat ?? before.chat;
  return { id: last.id, seq: last.seq, chat };
}
