import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import type { Listed, Page } from '../../kernel/lists.js';
import { inListedOrder, listKeys, ReadDatabase } from '../../platform/database/index.js';
import { OwnLog, sendEntry } from '../accounts/index.js';
import { CHAT_STATUS_LABELS } from '../channels/chat/index.js';
import { RecipientStatus } from '../engine/index.js';
import { SessionMessageEntity } from './tables.js';

export interface ListedSessionMessage {
  id: number;
  account_id: number;
  receiver: string;
  type: string;
  label: string | null;
  status: RecipientStatus;
  error_code: number | null;
  error_message: string | null;
  provider_message_id: string | null;
  pricing: string | null;
  is_test: number;
  scheduled_at: Date | null;
  sent_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Reads session messages of the API. */
@Injectable()
export class SessionMessageReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Newest first; a schedule without a status is one range each. @param statuses null = any @param scheduled null = both */
  async part(
    { accountId, isTest }: { accountId: number; isTest: boolean },
    statuses: readonly RecipientStatus[] | null,
    scheduled: boolean | null,
    page: Page,
  ): Promise<Listed<ListedSessionMessage>> {
    const list = { table: 'session_messages', key: 'id', order: 'DESC' } as const;
    const schedules = scheduled === null ? [0, 1] : [scheduled ? 1 : 0];
    const ids = await listKeys<number>(
      this.dataSource,
      statuses === null && scheduled === null
        ? {
            ...list,
            index: 'ix_session_messages_account',
            ranges: [{ where: 'account_id = ? AND is_test = ?', values: [accountId, Number(isTest)] }],
          }
        : {
            ...list,
            index: 'ix_session_messages_account_status',
            ranges: (statuses ?? ALL_STATUSES).flatMap((status) =>
              schedules.map((flag) => ({
                where: 'account_id = ? AND status = ? AND scheduled = ? AND is_test = ?',
                values: [accountId, status, flag, Number(isTest)],
              })),
            ),
          },
      page,
    );
    if (ids.items.length === 0) return { ...ids, items: [] };
    return inListedOrder(ids, await this.byIds(ids.items), ({ id }) => id);
  }

  async byId(id: number): Promise<ListedSessionMessage | null> {
    const [row] = await this.byIds([id]);
    return row ?? null;
  }

  private byIds(ids: readonly number[]): Promise<ListedSessionMessage[]> {
    return this.dataSource.query(
      `SELECT id, account_id, receiver, JSON_UNQUOTE(JSON_EXTRACT(content, '$.type')) AS type, label, status, error_code,
         error_message, provider_message_id, pricing, is_test, scheduled_at, sent_at, created_at, updated_at
       FROM session_messages WHERE id IN (?)`,
      [ids],
    );
  }
}

const ALL_STATUSES = Object.values(RecipientStatus).filter((status) => typeof status === 'number');

export interface FoundSessionMessage {
  id: number;
  accountId: number;
  receiver: string;
  type: string;
  status: string;
  createdAt: Date;
}

/** Messages to one number that one search scans for those of the account. */
const MOST_FILTERED = 10_000;

/** Finds session messages by the recipient's number. */
@Injectable()
export class SessionMessageSearch {
  constructor(private readonly reads: ReadDatabase) {}

  /** Newest first. @param numbers digits @param accountId null = all accounts */
  async find(numbers: readonly string[], accountId: number | null, limit: number): Promise<FoundSessionMessage[]> {
    const rows = await this.reads.query<(Omit<FoundSessionMessage, 'status'> & { status: RecipientStatus })[]>(
      `SELECT s.id, s.account_id AS accountId, s.receiver, JSON_UNQUOTE(JSON_EXTRACT(s.content, '$.type')) AS type,
         s.status, s.created_at AS createdAt
       FROM (SELECT id, account_id FROM session_messages FORCE INDEX (ix_session_messages_receiver)
             WHERE receiver IN (?) ORDER BY id DESC LIMIT ?) m
       JOIN session_messages s ON s.id = m.id ${accountId === null ? '' : 'WHERE m.account_id = ?'}
       ORDER BY s.id DESC LIMIT ?`,
      [numbers, ...(accountId === null ? [limit] : [MOST_FILTERED, accountId]), limit],
    );
    return rows.map((row) => ({ ...row, status: CHAT_STATUS_LABELS[row.status] }));
  }
}

@Injectable()
export class SessionLog {
  constructor(@InjectDataSource() dataSource: DataSource, log: OwnLog) {
    const source = {
      kind: 'send',
      table: 'session_messages',
      index: 'ix_session_messages_account',
      entries: async (ids: readonly number[], reader: Parameters<typeof sendEntry>[1]) => {
        const rows = await dataSource.getRepository(SessionMessageEntity).findBy({ id: In(ids) });
        return new Map(
          rows.map(({ id, receiver, isTest, createdBy, createdAt }) => {
            const details = { to: receiver, ...(isTest === 1 && { test: true }) };
            const what = { action: 'session_message.send', subject: String(id), details };
            return [id, sendEntry({ id: `session-${id}`, ...what, createdBy, createdAt }, reader)];
          }),
        );
      },
    } as const;
    // each has a range of the index
    log.register(
      { ...source, name: 'session', column: 'is_test = 0 AND account_id' },
      { ...source, name: 'test_session', column: 'is_test = 1 AND account_id' },
    );
  }
}
