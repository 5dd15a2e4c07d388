import type { MigrationInterface, QueryRunner } from 'typeorm';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';
const ENTRIES_A_STEP = 20_000;

interface Month {
  month: string;
  closed_id: number;
}

/**
 * Usage of the past, from the ledger: by day, and by the channel of campaigns that are still kept; calling code and sender
 * of then are not known. It begins behind the months whose entries have gone (docs/decisions/0035). And what of each closing
 * was debits and refunds, so that usage is proved as balances are. Steps are gathered in a table of their own, each under its
 * first entry: what is done again after a break says the same.
 */
export class UsageOfThePast1700000015302 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('credit_closings', 'charged'))) {
      await queryRunner.query(
        `ALTER TABLE credit_closings ADD COLUMN charged BIGINT NOT NULL DEFAULT 0 AFTER moved,
           ADD COLUMN refunded BIGINT NOT NULL DEFAULT 0 AFTER charged`,
      );
    }
    if (!(await queryRunner.hasTable('usage_past'))) await queryRunner.query('DELETE FROM usage_counters');
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS usage_past (
        after_id BIGINT NOT NULL,
        month DATE NULL,
        account_id INT UNSIGNED NOT NULL,
        day DATE NOT NULL,
        balance VARCHAR(32) ${ASCII} NOT NULL,
        channel VARCHAR(16) ${ASCII} NOT NULL,
        charged_recipients BIGINT NOT NULL,
        charged_credits BIGINT NOT NULL,
        refunded_recipients BIGINT NOT NULL,
        refunded_credits BIGINT NOT NULL,
        PRIMARY KEY (after_id, account_id, day, balance, channel)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    await this.gather(queryRunner);
    await queryRunner.query(
      `INSERT INTO usage_counters (account_id, day, balance, channel, prefix, sender,
         charged_recipients, charged_credits, refunded_recipients, refunded_credits)
       SELECT account_id, day, balance, channel, '', '', SUM(charged_recipients), SUM(charged_credits),
         SUM(refunded_recipients), SUM(refunded_credits)
       FROM usage_past GROUP BY account_id, day, balance, channel
       ON DUPLICATE KEY UPDATE charged_recipients = VALUES(charged_recipients), charged_credits = VALUES(charged_credits),
         refunded_recipients = VALUES(refunded_recipients), refunded_credits = VALUES(refunded_credits)`,
    );
    await queryRunner.query(
      `UPDATE credit_closings c JOIN (SELECT account_id, balance, month, SUM(charged_credits) AS charged,
           SUM(refunded_credits) AS refunded FROM usage_past WHERE month IS NOT NULL GROUP BY account_id, balance, month) p
         ON p.account_id = c.account_id AND p.balance = c.balance AND p.month = c.month
       SET c.charged = p.charged, c.refunded = p.refunded`,
    );
    await queryRunner.query(
      'ALTER TABLE credit_closings ALTER COLUMN charged DROP DEFAULT, ALTER COLUMN refunded DROP DEFAULT',
    );
    await queryRunner.query('DROP TABLE usage_past');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS usage_past');
    if (!(await queryRunner.hasColumn('credit_closings', 'charged'))) return;
    await queryRunner.query('ALTER TABLE credit_closings DROP COLUMN charged, DROP COLUMN refunded');
  }

  /** No step goes past the end of a month's closing, so that each belongs to one of them, or to none. */
  private async gather(queryRunner: QueryRunner): Promise<void> {
    const [gone] = (await queryRunner.query(
      'SELECT COALESCE(MAX(last_id), 0) AS last FROM credit_months WHERE removed = 1',
    )) as { last: number }[];
    const months = (await queryRunner.query(
      "SELECT DATE_FORMAT(month, '%Y-%m-%d') AS month, closed_id FROM credit_months ORDER BY month",
    )) as Month[];
    for (let after = Number(gone?.last ?? 0); ;) {
      const month = months.find(({ closed_id }) => closed_id > after);
      const [step] = (await queryRunner.query(
        `SELECT MAX(id) AS last FROM (SELECT id FROM credit_ledger WHERE id > ? AND id <= ? ORDER BY id
           LIMIT ${ENTRIES_A_STEP}) step`,
        [after, month?.closed_id ?? Number.MAX_SAFE_INTEGER],
      )) as { last: number | null }[];
      if (step?.last != null) await this.gatherStep(queryRunner, month?.month ?? null, after, step.last);
      else if (!month) return;
      after = step?.last ?? month?.closed_id ?? after;
    }
  }

  private async gatherStep(queryRunner: QueryRunner, month: string | null, after: number, last: number): Promise<void> {
    const [debit, refund] = ["l.kind = 'debit'", "l.kind = 'refund'"];
    const told = "IF(l.note REGEXP '^[0-9]+ recipients$', CAST(SUBSTRING_INDEX(l.note, ' ', 1) AS UNSIGNED), 0)";
    await queryRunner.query(
      `REPLACE INTO usage_past (after_id, month, account_id, day, balance, channel,
         charged_recipients, charged_credits, refunded_recipients, refunded_credits)
       SELECT ?, ?, l.account_id, DATE(l.created_at), l.balance, COALESCE(c.channel, ''),
         SUM(IF(${debit}, COALESCE(c.total_rows, 0), 0)), SUM(IF(${debit}, -l.amount, 0)),
         SUM(IF(${refund}, ${told}, 0)), SUM(IF(${refund}, l.amount, 0))
       FROM credit_ledger l LEFT JOIN campaigns c ON c.request_id = l.request_id AND c.account_id = l.account_id
       WHERE l.id > ? AND l.id <= ? AND l.kind IN ('debit', 'refund')
       GROUP BY l.account_id, DATE(l.created_at), l.balance, COALESCE(c.channel, '')`,
      [after, month, after, last],
    );
  }
}
