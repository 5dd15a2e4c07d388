import type { MigrationInterface, QueryRunner } from 'typeorm';

const ENTRIES_A_STEP = 5_000;

interface Entry {
  id: number;
  actor_id: number | null;
  subject: string;
  details: string;
}

interface Client {
  id: number;
  username: string;
  is_active: number;
  expires_at: string | null;
  time_zone: string | null;
  number_check: string;
  public_lookup: number;
}

const DEVIATES: Record<string, (client: Client) => boolean> = {
  is_active: ({ is_active }) => is_active === 0,
  expires_at: ({ expires_at }) => expires_at !== null,
  time_zone: ({ time_zone }) => time_zone !== null,
  number_check: ({ number_check }) => number_check !== 'off',
  public_lookup: ({ public_lookup }) => public_lookup === 0,
};
/** Staff own these fields only while the account is closed or expires. */
const WHILE_SET = ['is_active', 'expires_at'];

/** Marks account fields set by staff, from the audit log; resellers change only the others. Unknown authors count as staff. */
export class StaffSettings1700000019500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('accounts', 'set_by_staff')))
      await queryRunner.query(
        `ALTER TABLE accounts ADD COLUMN set_by_staff TEXT NULL, ADD COLUMN staff_expires_at DATETIME(3) NULL,
           ALGORITHM=INPLACE, LOCK=NONE`,
      );
    const clients = (await queryRunner.query(
      `SELECT c.id, c.username, c.is_active, CAST(c.expires_at AS CHAR) AS expires_at, c.time_zone, c.number_check,
         c.public_lookup
       FROM accounts c JOIN accounts p ON p.id = c.parent_id
       WHERE p.user_type = 'reseller' AND c.set_by_staff IS NULL`,
    )) as Client[];
    if (clients.length === 0) return;
    const authors = await this.authors(queryRunner, new Set(clients.map(({ username }) => username)));
    for (const client of clients) {
      const known = authors.get(client.username) ?? new Map<string, boolean>();
      const names = [...new Set([...Object.keys(DEVIATES), ...known.keys()])].filter((name) => {
        const deviates = DEVIATES[name]?.(client) ?? false;
        const isStaffs = known.get(name) ?? deviates;
        return isStaffs && (deviates || !WHILE_SET.includes(name));
      });
      if (names.length === 0) continue;
      await queryRunner.query(
        'UPDATE accounts SET set_by_staff = ?, staff_expires_at = IF(?, expires_at, NULL) WHERE id = ? LIMIT 1',
        [JSON.stringify(names.sort()), names.includes('expires_at') ? 1 : 0, client.id],
      );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE accounts DROP COLUMN set_by_staff, DROP COLUMN staff_expires_at, ALGORITHM=INPLACE, LOCK=NONE',
    );
  }

  /** @returns whether staff set the field last, by account and field */
  private async authors(queryRunner: QueryRunner, usernames: Set<string>): Promise<Map<string, Map<string, boolean>>> {
    const resellers = (await queryRunner.query("SELECT id FROM accounts WHERE user_type = 'reseller'")) as {
      id: number;
    }[];
    const ids = new Set(resellers.map(({ id }) => Number(id)));
    const clients = (await queryRunner.query(
      "SELECT c.id FROM accounts c JOIN accounts p ON p.id = c.parent_id WHERE p.user_type = 'reseller'",
    )) as { id: number }[];
    for (const { id } of clients) ids.add(Number(id)); // clients are not staff either
    const authors = new Map<string, Map<string, boolean>>();
    for (let after = 0; ;) {
      const entries = (await queryRunner.query(
        `SELECT id, actor_id, subject, IF(action IN ('account.create', 'account.change'), details, '{}') AS details
         FROM audit_log WHERE id > ? ORDER BY id LIMIT ${ENTRIES_A_STEP}`,
        [after],
      )) as Entry[];
      const last = entries.at(-1);
      if (!last) return authors;
      after = Number(last.id);
      for (const { subject, actor_id, details } of entries) {
        if (details === '{}' || !usernames.has(subject)) continue;
        const isStaff = actor_id === null || !ids.has(Number(actor_id));
        const known = authors.get(subject) ?? new Map<string, boolean>();
        for (const name of fieldsOf(JSON.parse(details) as Record<string, unknown>)) known.set(name, isStaff);
        authors.set(subject, known);
      }
    }
  }
}

function fieldsOf(details: Record<string, unknown>): string[] {
  const permissions = details['permissions'];
  const names = Object.keys(details).filter((name) => name in DEVIATES && details[name] !== null);
  if (typeof permissions !== 'object' || permissions === null) return names;
  return [...names, ...Object.keys(permissions).map((name) => `permissions.${name}`)];
}
