import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { RecipientStatus } from '../../engine/index.js';

/** A session message without its content. */
export interface ListedSessionMessage {
  id: number;
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

/** Session messages for their owner's list. */
@Injectable()
export class SessionMessageReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * The newest first.
   * @param statuses one of these; null = any
   * @param scheduled those that were scheduled, or those that were not; null = both
   */
  async page(
    accountId: number,
    statuses: readonly RecipientStatus[] | null,
    scheduled: boolean | null,
    page: number,
    limit: number,
  ): Promise<{ rows: ListedSessionMessage[]; total: number }> {
    const where = [
      'account_id = ?',
      ...(statuses ? ['status IN (?)'] : []),
      ...(scheduled === null ? [] : [`scheduled = ${scheduled ? 1 : 0}`]),
    ].join(' AND ');
    const values = [accountId, ...(statuses ? [statuses] : [])];
    const [count]: { total: string }[] = await this.dataSource.query(
      `SELECT COUNT(*) AS total FROM session_messages WHERE ${where}`,
      values,
    );
    const total = Number(count?.total ?? 0);
    const offset = (page - 1) * limit;
    // A page behind the last one is empty without looking.
    if (offset >= total) return { rows: [], total };
    const rows: ListedSessionMessage[] = await this.dataSource.query(
      `SELECT id, receiver, JSON_UNQUOTE(JSON_EXTRACT(content, '$.type')) AS type, label, status, error_code,
         error_message, provider_message_id, scheduled_at, sent_at, created_at, updated_at
       FROM session_messages WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
    return { rows, total };
  }
}
