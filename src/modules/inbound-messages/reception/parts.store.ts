import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { inTransaction, type WriteResult } from '../../../platform/database/index.js';
import { assembled, type KeptPart, type StoredPart, type WholeText } from './inbound-message.js';
import { InboundMessageStore } from './inbound-messages.store.js';

/** The row of a message among its parts, which serializes them over all workers. */
const HEAD = 0;
const MESSAGES_A_STEP = 200;
const MOST_PARTS = 255;

/** Parts of texts until all of them are there, or `INBOUND_PARTS_TIMEOUT` has passed. */
@Injectable()
export class InboundParts {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'INBOUND_PARTS_TIMEOUT'>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: InboundMessageStore,
  ) {}

  /** Keeps parts, each once. @returns keys of the messages that are complete now */
  keep(parts: readonly KeptPart[]): Promise<string[]> {
    return inTransaction(this.dataSource, async (tx) => {
      const fresh = await this.store.claim(
        tx,
        parts.map(({ delivery }) => delivery),
      );
      const complete = new Set<string>();
      const sorted = parts.toSorted((a, b) => (a.messageKey < b.messageKey ? -1 : 1));
      for (const part of sorted)
        if (fresh.has(part.delivery.fingerprint) && (await this.add(tx, part))) complete.add(part.messageKey);
      return [...complete];
    });
  }

  /** Keys of messages that are complete, or have waited long enough. */
  async due(): Promise<string[]> {
    const rows: { message_key: string }[] = await this.dataSource.query(
      `SELECT message_key FROM inbound_parts WHERE due_at <= UTC_TIMESTAMP(3) ORDER BY due_at LIMIT ${MESSAGES_A_STEP}`,
    );
    return rows.map(({ message_key: key }) => key);
  }

  /** Puts the stored parts of these messages together; messages without parts are left out. */
  async assembled(
    keys: readonly string[],
    source: Pick<EntityManager, 'query'> = this.dataSource,
  ): Promise<WholeText[]> {
    if (keys.length === 0) return [];
    const rows: { message_key: string; part: number; content: string }[] = await source.query(
      `SELECT message_key, part, content FROM inbound_parts WHERE message_key IN (?) AND part > ${HEAD}
       LIMIT ${MOST_PARTS * keys.length}`,
      [keys],
    );
    return keys.flatMap((key) => {
      const own = rows.filter((row) => row.message_key === key);
      const parts = new Map(own.map(({ part, content }) => [part, JSON.parse(content) as StoredPart]));
      return assembled(key, parts) ?? [];
    });
  }

  /** Removes a message's parts. @returns the message with all parts that are there now; null = another process has taken it */
  async take(tx: EntityManager, messageKey: string): Promise<WholeText | null> {
    const { affectedRows } = await tx.query<WriteResult>(
      'DELETE FROM inbound_parts WHERE message_key = ? AND part = ?',
      [messageKey, HEAD],
    );
    if (affectedRows === 0) return null;
    const [text = null] = await this.assembled([messageKey], tx);
    await tx.query('DELETE FROM inbound_parts WHERE message_key = ?', [messageKey]);
    return text;
  }

  /** @returns whether the message is complete */
  private async add(tx: EntityManager, { messageKey, number, delivery: _, ...part }: KeptPart): Promise<boolean> {
    const content = JSON.stringify(part);
    await this.lockHead(tx, messageKey);
    const before = await this.rowsOf(tx, messageKey);
    if (before.has(number) && before.get(number) !== content) {
      // Another message under the same reference: the one before gets no more parts.
      await tx.query(
        'UPDATE inbound_parts SET message_key = ?, due_at = IF(part = 0, UTC_TIMESTAMP(3), NULL) WHERE message_key = ?',
        [`${messageKey.slice(0, 20)}-${newId()}`, messageKey],
      );
      before.clear();
      await this.lockHead(tx, messageKey);
    }
    before.set(number, content);
    await tx.query('INSERT IGNORE INTO inbound_parts (message_key, part, content) VALUES (?, ?, ?)', [
      messageKey,
      number,
      content,
    ]);
    if (before.size < part.total) return false;
    await tx.query('UPDATE inbound_parts SET due_at = UTC_TIMESTAMP(3) WHERE message_key = ? AND part = ?', [
      messageKey,
      HEAD,
    ]);
    return true;
  }

  private lockHead(tx: EntityManager, messageKey: string): Promise<unknown> {
    return tx.query(
      `INSERT INTO inbound_parts (message_key, part, content, due_at)
       VALUES (?, ${HEAD}, '', UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND) ON DUPLICATE KEY UPDATE content = ''`,
      [messageKey, this.environment.INBOUND_PARTS_TIMEOUT * 1_000],
    );
  }

  private async rowsOf(tx: EntityManager, messageKey: string): Promise<Map<number, string>> {
    const rows: { part: number; content: string }[] = await tx.query(
      `SELECT part, content FROM inbound_parts WHERE message_key = ? AND part > ${HEAD} LIMIT ${MOST_PARTS}`,
      [messageKey],
    );
    return new Map(rows.map(({ part, content }) => [part, content]));
  }
}
