import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A lane that is made again has a fence made of the clock in milliseconds (docs/decisions/0023). */
export class LongFences1700000014101 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE campaign_lanes MODIFY fence BIGINT UNSIGNED NOT NULL');
    await queryRunner.query('ALTER TABLE recipient_retries MODIFY intent_fence BIGINT UNSIGNED NULL');
    await queryRunner.query('ALTER TABLE unknown_outcomes MODIFY lost_fence BIGINT UNSIGNED NULL');
  }

  /** A lane that was made again starts anew: its fence has no room. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('UPDATE campaign_lanes SET fence = 0 WHERE fence >= 1 << 32');
    await queryRunner.query('UPDATE recipient_retries SET intent_fence = 0 WHERE intent_fence >= 1 << 32');
    await queryRunner.query('UPDATE unknown_outcomes SET lost_fence = NULL WHERE lost_fence >= 1 << 32');
    await queryRunner.query('ALTER TABLE unknown_outcomes MODIFY lost_fence INT UNSIGNED NULL');
    await queryRunner.query('ALTER TABLE recipient_retries MODIFY intent_fence INT UNSIGNED NULL');
    await queryRunner.query('ALTER TABLE campaign_lanes MODIFY fence INT UNSIGNED NOT NULL');
  }
}
