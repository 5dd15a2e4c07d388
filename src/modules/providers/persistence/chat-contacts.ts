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
  async learn(tx: EntityManager, routeId: number, pairs: readonly Acquaintance[]): Promise<Acquaintance[]> {
    const latest = new Map(pairs.map(({ userId, number }) => [userId, number]));
    if (latest.size === 0) return [];
    const known: (Row & { is_stale: number })[] = await tx.query(
      `SELECT user_id, number, updated_at < UTC_TIMESTAMP(3) - INTERVAL 1 DAY AS is_stale FROM chat_contacts
       WHERE route_id = ? AND user_id IN (?)`,
      [routeId, [...latest.keys()]],
    );
    const same = known.filter((row) => latest.get(row.user_id) === row.number);
    // Who is heard of again is written once a day: what is no longer kept is told by that (`table-rules.ts`).
    for (const row of same) if (Number(row.is_stale) === 0) latest.delete(row.user_id);
    // By key, so that two callbacks with the same contacts cannot wait for each other.
    const told = [...latest].sort(([a], [b]) => (a < b ? -1 : 1));
    if (told.length === 0) return [];
    await tx.query(
      `INSERT INTO chat_contacts (route_id, user_id, number, updated_at)
       SELECT ?, j.user_id, j.number, UTC_TIMESTAMP(3) FROM ${PAIRS}
       ON DUPLICATE KEY UPDATE number = VALUES(number), updated_at = VALUES(updated_at)`,
      [routeId, jsonRows(told)],
    );
    const isKnown = new Set(same.map((row) => row.user_id));
    return told.flatMap(([userId, number]) => (isKnown.has(userId) ? [] : { userId, number }));
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
