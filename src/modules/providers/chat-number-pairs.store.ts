import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { objectOrNull } from '../../kernel/json-values.js';
import { spellingsOf } from '../../kernel/phone-numbers.js';
import { textOrNull } from '../../kernel/text.js';
import { GroupCommit } from '../../platform/concurrency/index.js';
import { again, jsonRows } from '../../platform/database/index.js';
import { safeError } from '../../platform/observability/index.js';

interface NumberPair {
  routeId: number;
  input: string;
  providerNumber: string;
}

const GROUP = { maxItems: 1_000, delayMs: 250 };
const LONGEST_NUMBER = 32;
const DIGITS = /^[0-9]+$/;

/** The number under which the provider took a message; null when its answer names none. */
function providerNumberOf(answer: unknown): string | null {
  const contacts = objectOrNull(answer)?.['contacts'];
  const [contact] = Array.isArray(contacts) ? (contacts as unknown[]) : [];
  const number = textOrNull(objectOrNull(contact)?.['wa_id']);
  return number !== null && DIGITS.test(number) && number.length <= LONGEST_NUMBER ? number : null;
}

/**
 * Numbers that the provider knows under another one, learned from its answers to sends (reference/numbers#one-person). A pair
 * that is lost is learned again with the next send.
 */
@Injectable()
export class ChatNumberPairs implements OnApplicationShutdown {
  private readonly logger = new Logger(ChatNumberPairs.name);
  private readonly group = new GroupCommit<NumberPair, void>(async (pairs) => {
    await this.write(pairs);
    return pairs.map(() => undefined);
  }, GROUP);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @param to as it was sent to @param answer the provider's body; nothing is kept when both numbers are the same */
  learn(routeId: number, to: string, answer: unknown): void {
    const providerNumber = providerNumberOf(answer);
    if (providerNumber === null || providerNumber === to || to.length > LONGEST_NUMBER || !DIGITS.test(to)) return;
    this.group.add({ routeId, input: to, providerNumber }).catch((error: unknown) => {
      this.logger.warn({ err: safeError(error) }, "the provider's number of a contact was not kept");
    });
  }

  /** Numbers that were sent to and that the provider knows under this one, in any spelling. */
  async inputsOf(tx: EntityManager, routeId: number, number: string): Promise<string[]> {
    const rows: { input: string }[] = await tx.query(
      'SELECT input FROM chat_number_pairs WHERE route_id = ? AND provider_number IN (?) ORDER BY input',
      [routeId, spellingsOf(number)],
    );
    return rows.map(({ input }) => input);
  }

  onApplicationShutdown(): Promise<void> {
    return this.group.drained();
  }

  private async write(pairs: readonly NumberPair[]): Promise<void> {
    const latest = new Map(pairs.map((pair) => [`${pair.routeId} ${pair.input}`, pair]));
    // Sorted by key, so that concurrent processes cannot deadlock.
    const rows = [...latest.values()].sort((a, b) => a.routeId - b.routeId || (a.input < b.input ? -1 : 1));
    await this.dataSource.query(
      again(`INSERT INTO chat_number_pairs (route_id, input, provider_number, updated_at)
       SELECT j.route_id, j.input, j.provider_number, UTC_TIMESTAMP(3) FROM JSON_TABLE(?, '$[*]' COLUMNS (
         route_id INT UNSIGNED PATH '$[0]',
         input VARCHAR(${LONGEST_NUMBER}) CHARACTER SET ascii COLLATE ascii_bin PATH '$[1]',
         provider_number VARCHAR(${LONGEST_NUMBER}) CHARACTER SET ascii COLLATE ascii_bin PATH '$[2]')) j
       ON DUPLICATE KEY UPDATE provider_number = VALUES(provider_number), updated_at = VALUES(updated_at)`),
      [jsonRows(rows.map(({ routeId, input, providerNumber }) => [routeId, input, providerNumber]))],
    );
  }
}
