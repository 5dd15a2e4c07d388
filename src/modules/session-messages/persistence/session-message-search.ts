import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../../platform/database/index.js';
import { CHAT_STATUS_LABELS } from '../../channels/chat/index.js';
import type { RecipientStatus } from '../../engine/index.js';

/** A session message that a search found. */
export interface FoundSessionMessage {
  id: number;
  accountId: number;
  receiver: string;
  type: string;
  /** as the chat channels call it */
  status: string;
  createdAt: Date;
}

/** Messages to one number that a look goes through for an account's own among them. */
const MOST_LOOKED_AT = 10_000;

/** Session messages by the number that they went to. */
@Injectable()
export class SessionMessageSearch {
  constructor(private readonly reads: ReadDatabase) {}

  /** Newest first. @param number digits @param accountId whose; null = everybody's */
  async find(number: string, accountId: number | null, limit: number): Promise<FoundSessionMessage[]> {
    const rows = await this.reads.query<(Omit<FoundSessionMessage, 'status'> & { status: RecipientStatus })[]>(
      `SELECT s.id, s.account_id AS accountId, s.receiver, JSON_UNQUOTE(JSON_EXTRACT(s.content, '$.type')) AS type,
         s.status, s.created_at AS createdAt
       FROM (SELECT id, account_id FROM session_messages FORCE INDEX (ix_session_messages_receiver)
             WHERE receiver = ? ORDER BY id DESC LIMIT ?) m
       JOIN session_messages s ON s.id = m.id ${accountId === null ? '' : 'WHERE m.account_id = ?'}
       ORDER BY s.id DESC LIMIT ?`,
      [number, ...(accountId === null ? [limit] : [MOST_LOOKED_AT, accountId]), limit],
    );
    return rows.map((row) => ({ ...row, status: CHAT_STATUS_LABELS[row.status] }));
  }
}
