import type { MigrationInterface, QueryRunner } from 'typeorm';

const ACCOUNTS_A_STEP = 1_000;
const DISABLED = 'An API key subscribed it to alarms';

interface Webhook {
  id: number;
  account_id: number;
  events: string;
  created_by: string | null;
}

interface Client {
  id: number;
  is_active: number;
  expires_at: string | null;
  set_by_staff: string | null;
}

const isAlarm = (type: string): boolean => type.startsWith('alarm.');

/** Applies new rules to old rows: webhooks of keys lose alarms; closed clients of the house count as closed by staff. */
export class RightsOfThePast1700000019630 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await this.takeAlarms(queryRunner);
    await this.keepClosed(queryRunner);
  }

  /** The previous version writes the same values. */
  async down(): Promise<void> {}

  private async takeAlarms(queryRunner: QueryRunner): Promise<void> {
    const webhooks = (await queryRunner.query(
      `SELECT id, account_id, events, created_by FROM webhook_endpoints
       WHERE slot IS NOT NULL AND status <> 'removed' AND events LIKE '%alarm.%'`,
    )) as Webhook[];
    for (const webhook of webhooks) {
      if (!(await this.isOfKey(queryRunner, webhook))) continue;
      const rest = webhook.events.split(',').filter((type) => !isAlarm(type));
      await queryRunner.query(
        rest.length > 0
          ? 'UPDATE webhook_endpoints SET events = ? WHERE id = ? AND events = ? LIMIT 1'
          : "UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = ? WHERE id = ? AND events = ? LIMIT 1",
        [rest.length > 0 ? rest.join(',') : DISABLED, webhook.id, webhook.events],
      );
    }
  }

  private async isOfKey(queryRunner: QueryRunner, { id, account_id, created_by }: Webhook): Promise<boolean> {
    if (created_by?.startsWith('key:')) return true;
    const entries = (await queryRunner.query(
      `SELECT action, details FROM audit_log FORCE INDEX (ix_audit_log_account)
       WHERE actor_id = ? AND api_key IS NOT NULL AND action IN ('webhook.create', 'webhook.change')`,
      [account_id],
    )) as { action: string; details: string }[];
    return entries.some(({ action, details }) => {
      const { id: of, fields = [] } = JSON.parse(details) as { id?: number; fields?: string[] };
      return of === Number(id) && (action === 'webhook.create' || fields.includes('url') || fields.includes('events'));
    });
  }

  private async keepClosed(queryRunner: QueryRunner): Promise<void> {
    for (let after = 0; ;) {
      const clients = (await queryRunner.query(
        `SELECT c.id, c.is_active, CAST(c.expires_at AS CHAR) AS expires_at, c.set_by_staff
         FROM accounts c LEFT JOIN accounts p ON p.id = c.parent_id
         WHERE c.id > ? AND (c.is_active = 0 OR c.expires_at IS NOT NULL)
           AND (p.id IS NULL OR p.user_type IS NULL OR p.user_type <> 'reseller')
         ORDER BY c.id LIMIT ${ACCOUNTS_A_STEP}`,
        [after],
      )) as Client[];
      const last = clients.at(-1);
      if (!last) return;
      after = Number(last.id);
      for (const { id, is_active, expires_at, set_by_staff } of clients) {
        const before = JSON.parse(set_by_staff ?? '[]') as string[];
        const closed = [
          ...(Number(is_active) === 0 ? ['is_active'] : []),
          ...(expires_at === null ? [] : ['expires_at']),
        ];
        const names = [...new Set([...before, ...closed])].sort();
        if (names.length === before.length) continue;
        await queryRunner.query(
          `UPDATE accounts SET set_by_staff = ?, staff_expires_at = IF(?, expires_at, staff_expires_at)
           WHERE id = ? AND set_by_staff <=> ? AND is_active = ? LIMIT 1`, // a process of this version may have written since
          [
            JSON.stringify(names),
            closed.includes('expires_at') && !before.includes('expires_at') ? 1 : 0,
            ...[id, set_by_staff, Number(is_active)],
          ],
        );
      }
    }
  }
}
