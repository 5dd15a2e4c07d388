import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dateBound, idBound, partitionByDay, removeDays } from '../day-partitions.js';

const BY_CAMPAIGN = ['campaign_recipients', 'recipient_terms', 'campaign_counters', 'voice_calls'];

/**
 * What grows with the recipients is cut into days: by the campaign's id, which carries the time, or by the day on which a
 * message was submitted, since a campaign may be scheduled for months later (docs/decisions/0022).
 * Each table is copied once; a run that was broken off goes on with the next table.
 */
export class DayPartitions1700000014600 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of BY_CAMPAIGN) await partitionByDay(queryRunner, table, 'RANGE (campaign_id)', idBound);
    await partitionByDay(queryRunner, 'provider_messages', 'RANGE COLUMNS (sent_on)', dateBound);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['provider_messages', ...BY_CAMPAIGN]) await removeDays(queryRunner, table);
  }
}
