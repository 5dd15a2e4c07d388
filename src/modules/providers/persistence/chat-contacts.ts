import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { Acquaintance, ChatSender } from '../drivers/meta-cloud/callbacks.js';

const PAIRS = `JSON_TABLE(?, '$[*]' COLUMNS (
  user_id VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]',
  number VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$[1]')) j`;

interface Row {
  user_id: string;
  number: string;
}

/** Which number belongs to which user id, as callbacks have told it; each chat account knows its own contacts. */
@Injectable()
export class ChatContacts {
  /** Keeps what is new. @returns the pairs that were not known before */
  async learn(tx: EntityManager, routeId: number, told: readonly Acquaintance[]): Promise<Acquaintance[]> {
    const latest = new Map(told.map(({ userId, number }) => [userId, number]));
    if (latest.size === 0) return [];
    const known: Row[] = await tx.query(
      'SELECT user_id, number FROM chat_contacts WHERE route_id = ? AND user_id IN (?)',
      [routeId, [...latest.keys()]],
    );
    for (const row of known) if (latest.get(row.user_id) === row.number) latest.delete(row.user_id);
    // By key, so that two callbacks with the same contacts cannot wait for each other.
    const fresh = [...latest].sort(([a], [b]) => (a < b ? -1 : 1));
    if (fresh.length === 0) return [];
    await tx.query(
      `INSERT INTO chat_contacts (route_id, user_id, number, updated_at)
       SELECT ?, j.user_id, j.number, UTC_TIMESTAMP(3) FROM ${PAIRS}
       ON DUPLICATE KEY UPDATE number = VALUES(number), updated_at = VALUES(updated_at)`,
      [routeId, jsonRows(fresh)],
    );
    return fresh.map(([userId, number]) => ({ userId, number }));
  }

  /** The senders with the other half of each, where it is known; in the same order. */
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
