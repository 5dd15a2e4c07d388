import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, Raw } from 'typeorm';
import { isUserId } from '../../../kernel/chat-user-id.js';
import { digitsOf } from '../../../kernel/phone-number.js';
import { ChatWindowEntity } from './chat-inbound.entities.js';

export const WINDOW_MS = 24 * 3_600_000;

/**
 * The 24-hour windows (reference/session-messages#24-hour-window): an inbound message lets free-form messages go to its
 * sender for a day.
 */
@Injectable()
export class ChatWindows {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @param routeId the chat account's id @param contact number with country code, or user id */
  isOpen(routeId: number, contact: string): Promise<boolean> {
    return this.dataSource.getRepository(ChatWindowEntity).existsBy({
      routeId,
      contact: isUserId(contact) ? contact : digitsOf(contact),
      openUntil: Raw((column) => `${column} > UTC_TIMESTAMP(3)`),
    });
  }

  /** Opens each contact's window for a day from its message; a window only ever grows. */
  async open(
    tx: EntityManager,
    routeId: number,
    messages: readonly { contact: string; sentAt: Date }[],
  ): Promise<void> {
    const until = new Map<string, number>();
    for (const { contact, sentAt } of messages) {
      until.set(contact, Math.max(until.get(contact) ?? 0, sentAt.getTime() + WINDOW_MS));
    }
    // By key, so that two callbacks for the same contacts cannot wait for each other.
    const rows = [...until].sort(([a], [b]) => (a < b ? -1 : 1));
    if (rows.length === 0) return;
    await tx.query(
      `INSERT INTO chat_windows (route_id, contact, open_until) VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}
       ON DUPLICATE KEY UPDATE open_until = GREATEST(open_until, VALUES(open_until))`,
      rows.flatMap(([contact, openUntil]) => [routeId, contact, new Date(openUntil)]),
    );
  }
}
