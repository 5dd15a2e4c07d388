import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from '../schema-parts.js';

/** Lists of a route's campaigns in a state, and the reason that a rejection gives. */
export class CampaignsOfRoutes1700000017100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await hasIndex(queryRunner, 'campaigns', 'ix_campaigns_route_state'))) {
      await queryRunner.query(
        `ALTER TABLE campaigns DROP KEY ix_campaigns_route,
          ADD KEY ix_campaigns_route_state (route_id, state, id), ALGORITHM=INPLACE, LOCK=NONE`,
      );
    }
    if (!(await queryRunner.hasColumn('campaigns', 'reason'))) {
      await queryRunner.query('ALTER TABLE campaigns ADD COLUMN reason VARCHAR(500) NULL, ALGORITHM=INSTANT');
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE campaigns DROP COLUMN reason');
    await queryRunner.query(
      `ALTER TABLE campaigns DROP KEY ix_campaigns_route_state, ADD KEY ix_campaigns_route (route_id),
        ALGORITHM=INPLACE, LOCK=NONE`,
    );
  }
}
