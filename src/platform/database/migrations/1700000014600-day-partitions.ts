import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idBound, partitionByDay, removeDays } from '../day-partitions.js';

const TABLES = ['campaign_recipients', 'recipient_terms', 'campaign_counters', 'voice_calls'];

/**
 * What grows with the recipients is cut into days by the campaign's id, which carries the time (docs/decisions/0022).
 * Each table is copied once; a run that was broken off goes on with the next table.
 */
export class DayPartitions1700000014600 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await partitionByDay(queryRunner, table, 'RANGE (campaign_id)', idBound);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await removeDays(queryRunner, table);
  }
}
