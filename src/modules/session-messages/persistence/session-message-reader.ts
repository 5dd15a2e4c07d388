import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Listed, Page } from '../../../kernel/lists.js';
import { inListedOrder, listKeys } from '../../../platform/database/index.js';
import { RecipientStatus } from '../../engine/index.js';

/** A session message without its content. */
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
  scheduled_at: Date | null;
  sent_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Session messages as they are shown. */
@Injectable()
export class SessionMessageReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * The newest first. A schedule without a status is a range for each status.
   * @param statuses one of these; null = any
   * @param scheduled those that were scheduled, or those that were not; null = both
   */
  async part(
    accountId: number,
    statuses: readonly RecipientStatus[] | null,
    scheduled: boolean | null,
    page: Page,
  ): Promise<Listed<ListedSessionMessage>> {
    const list = { table: 'session_messages', key: 'id', order: 'DESC' } as const;
    const schedules = scheduled === null ? [0, 1] : [scheduled ? 1 : 0];
    const ids = await listKeys<number>(
      this.dataSource,
      statuses === null && scheduled === null
        ? { ...list, index: 'ix_session_messages_account', ranges: [{ where: 'account_id = ?', values: [accountId] }] }
        : {
            ...list,
            index: 'ix_session_messages_account_status',
            ranges: (statuses ?? ALL_STATUSES).flatMap((status) =>
              schedules.map((flag) => ({
                where: 'account_id = ? AND status = ? AND scheduled = ?',
                values: [accountId, status, flag],
              })),
            ),
          },
      page,
    );
    if (ids.items.length === 0) return { ...ids, items: [] };
    return inListedOrder(ids, await this.byIds(ids.items), ({ id }) => id);
  }

  /** One of any account. */
  async byId(id: number): Promise<ListedSessionMessage | null> {
    const [row] = await this.byIds([id]);
    return row ?? null;
  }

  private byIds(ids: readonly number[]): Promise<ListedSessionMessage[]> {
    return this.dataSource.query(
      `SELECT id, account_id, receiver, JSON_UNQUOTE(JSON_EXTRACT(content, '$.type')) AS type, label, status, error_code,
         error_message, provider_message_id, scheduled_at, sent_at, created_at, updated_at
       FROM session_messages WHERE id IN (?)`,
      [ids],
    );
  }
}

const ALL_STATUSES = Object.values(RecipientStatus).filter((status) => typeof status === 'number');
