import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from '../schema-parts.js';

/** Keys that answer filtered lists alone, whatever the size of the table (docs/decisions/0027). */
export class ListKeys1700000014500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await hasIndex(queryRunner, 'campaigns', 'ix_campaigns_account_state'))) {
      await queryRunner.query(
        `ALTER TABLE campaigns DROP KEY ix_campaigns_state,
          ADD KEY ix_campaigns_state (state, channel, id),
          ADD KEY ix_campaigns_account_state (account_id, state, channel, id)`,
      );
    }
    await queryRunner.query(
      `ALTER TABLE session_messages DROP KEY ix_session_messages_account_status,
        ADD KEY ix_session_messages_account_status (account_id, status, scheduled, id)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE session_messages DROP KEY ix_session_messages_account_status,
        ADD KEY ix_session_messages_account_status (account_id, status, id)`,
    );
    await queryRunner.query(
      `ALTER TABLE campaigns DROP KEY ix_campaigns_account_state, DROP KEY ix_campaigns_state,
        ADD KEY ix_campaigns_state (state, id)`,
    );
  }
}
