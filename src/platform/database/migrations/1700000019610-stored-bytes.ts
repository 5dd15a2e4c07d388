import type { MigrationInterface, QueryRunner } from 'typeorm';

const RECIPIENT = '64 + LENGTH(number) + COALESCE(LENGTH(variables), 0)';
const TEMPLATE = `64 + LENGTH(name) + LENGTH(body) + LENGTH(body_examples) + LENGTH(footer) + LENGTH(quick_replies)
  + LENGTH(header_text) + COALESCE(LENGTH(header_example_url), 0)`;
const HEADS = [
  { heads: 'recipient_uploads', rows: 'recipient_upload_rows', of: 'upload_id' },
  { heads: 'recipient_lists', rows: 'recipient_list_members', of: 'list_id' },
];

const FILES_A_STEP = 1_000;

/** Bytes stored by each account (reference/accounts#quotas): counts existing rows once; later writes keep it current. */
export class StoredBytes1700000019610 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const { heads } of HEADS) {
      await this.add(queryRunner, heads, 'bytes', 'BIGINT UNSIGNED NOT NULL DEFAULT 0');
    }
    await this.add(queryRunner, 'audio_files', 'account_id', 'INT UNSIGNED NULL');
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS account_storage (
        account_id INT UNSIGNED NOT NULL,
        bytes BIGINT UNSIGNED NOT NULL,
        PRIMARY KEY (account_id)
      ) ENGINE = InnoDB`,
    );
    for (const head of HEADS) await this.count(queryRunner, head);
    await this.attribute(queryRunner);
    await queryRunner.query(
      `/* unbounded: a row for each account, of heads and without their rows; READ COMMITTED locks none of them */
       INSERT INTO account_storage (account_id, bytes)
       SELECT account_id, SUM(bytes) FROM (
         SELECT account_id, bytes FROM recipient_uploads
         UNION ALL SELECT account_id, bytes FROM recipient_lists
         UNION ALL SELECT account_id, size FROM audio_files WHERE account_id IS NOT NULL
         UNION ALL SELECT account_id, ${TEMPLATE} FROM templates) kept
       GROUP BY account_id
       ON DUPLICATE KEY UPDATE bytes = VALUES(bytes)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS account_storage');
    const columns = [...HEADS.map(({ heads }) => [heads, 'bytes'] as const), ['audio_files', 'account_id'] as const];
    for (const [table, column] of columns) {
      if (await queryRunner.hasColumn(table, column)) {
        await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
      }
    }
  }

  private async add(queryRunner: QueryRunner, table: string, column: string, type: string): Promise<void> {
    if (await queryRunner.hasColumn(table, column)) return;
    await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}, ALGORITHM = INSTANT`);
  }

  /** Assigns audio to the account whose campaign used it first, where that is known. */
  private async attribute(queryRunner: QueryRunner): Promise<void> {
    for (let after = '0'; ;) {
      const files = (await queryRunner.query(
        `SELECT id FROM audio_files WHERE id > ? ORDER BY id LIMIT ${FILES_A_STEP}`,
        [after],
      )) as { id: string }[];
      const last = files.at(-1);
      if (!last) return;
      after = last.id;
      await queryRunner.query(
        `UPDATE audio_files a SET a.account_id = (SELECT c.account_id FROM campaign_audio p
           JOIN campaigns c ON c.id = p.campaign_id WHERE p.audio_id = a.id ORDER BY p.campaign_id LIMIT 1)
         WHERE a.account_id IS NULL AND a.id IN (?)`,
        [files.map(({ id }) => id)],
      );
    }
  }

  /** One statement for each list or upload limits the rows read at once. */
  private async count(queryRunner: QueryRunner, { heads, rows, of }: (typeof HEADS)[number]): Promise<void> {
    const ids = (await queryRunner.query(`SELECT id FROM ${heads} WHERE bytes = 0`)) as { id: string }[];
    for (const { id } of ids) {
      await queryRunner.query(
        `/* unbounded: one head by its key */ UPDATE ${heads} SET bytes = (SELECT COALESCE(SUM(${RECIPIENT}), 0) FROM ${rows} WHERE ${of} = ?) WHERE id = ?`,
        [id, id],
      );
    }
  }
}
