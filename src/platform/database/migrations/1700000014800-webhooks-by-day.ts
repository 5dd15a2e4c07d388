import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type DayBound, idBound, partitionByDay, removeDays } from '../day-partitions.js';

/** Ids of events begin with their millisecond, in hexadecimal digits (`event-id.ts` of the webhooks). */
const eventBound: DayBound = (start) => `'evt_${start.getTime().toString(16).padStart(12, '0')}'`;

/** Events to customers and their tries, by the day that their ids carry: those of 30 days ago go at once. */
export class WebhooksByDay1700000014800 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await partitionByDay(queryRunner, 'webhook_events', 'RANGE COLUMNS (id)', eventBound);
    await partitionByDay(queryRunner, 'webhook_attempts', 'RANGE (id)', idBound);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['webhook_attempts', 'webhook_events']) await removeDays(queryRunner, table);
  }
}
