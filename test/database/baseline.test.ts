import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mysql2/promise';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dataSourceOptions, FORMER_MIGRATIONS } from '../../src/platform/database/index.js';
import { Baseline1700000018701 } from '../../src/platform/database/migrations/1700000018701-baseline.js';
import { requireVariable } from '../support/database.js';
import { schemaFingerprints } from '../support/schema-description.js';

/** Taken once of what the 77 migrations had made on MariaDB 10.11 and on MySQL 9.7: both the same. */
const OF_VERSION_0_3_0: Readonly<Record<string, string>> = {
  acceptances_under_way: '12b86b64a427',
  account_quotas: 'e4276bd48581',
  accounts: '55e466aa107d',
  alarms: 'ef57209137ec',
  api_keys: '4048ed123ba4',
  assigned_users: '2e90f6d5d2fd',
  audio_chunks: '671552a3129d',
  audio_files: '03d50d4dfe2a',
  audit_log: 'd6a0dbfa6df8',
  campaign_audio: '9ded112c446c',
  campaign_counters: '528867fbdfeb',
  campaign_lanes: '048feb93f452',
  campaign_recipients: 'cd78af56ee9b',
  campaign_retries: '57f3d41c7851',
  campaign_routes: '620df577b98f',
  campaigns: '3f5caca2bd90',
  chat_contacts: 'ce07ac55e533',
  chat_inbound_messages: '5a6833216f3f',
  chat_windows: 'd0f71e9fe111',
  credit_balances: '2fe25c59811d',
  credit_closings: '09e4296bfabf',
  credit_ledger: 'fa038cb59b60',
  credit_months: 'f8d4c2972ea1',
  disk_shortages: 'e0906f3c3d19',
  early_stops: 'fa1ad62ca74c',
  idempotency_keys: '3f81d1ec5e42',
  last_backup: '1f53d36a16d5',
  login_addresses: '5ec11f38048b',
  login_identities: 'e1d7a53cdad6',
  name_claims: 'c65303617836',
  parked_receipts: '696e6d624f11',
  profile_requests: '433de7904c79',
  provider_messages: '436c90343e91',
  rate_plan_rows: '1bd419e12d91',
  rate_plans: '914f8a9d9084',
  recipient_list_members: '45dece5ec59a',
  recipient_lists: '1137eca7c2cc',
  recipient_retries: '5d39446a13ce',
  recipient_terms: 'cf5ad6090bea',
  recipient_upload_rows: 'ca4286c164af',
  recipient_uploads: 'b9b3920989b0',
  recipient_variables: '25803bbba09f',
  replica_beats: 'bdea6549e099',
  reseller_grants: 'd9f89941e026',
  restored_campaigns: 'c411f7d7733e',
  restores: 'a50b32fc0967',
  revoked_tokens: '4c8c6307d2fe',
  route_binds: '94ead6f1c2b6',
  route_changes: '5aabafbebc5c',
  route_costs: '32d46cea851f',
  route_price_lists: '9d0676c29311',
  route_senders: '4df90c910df1',
  route_spend: '555b00dddd91',
  route_states: '45d2ba3406df',
  routes: '43f8712b9b8f',
  routing_tables: '5d7cd870a0ea',
  security_log: '3edf74f00952',
  sender_ids: '372c899fa6c4',
  session_messages: '26a3930124d8',
  suppressions: '9f3927038bcb',
  teams: '9ab4ad3082b9',
  template_controllers: '5fe76d8f73c7',
  template_submissions: '8208cbd2eac6',
  templates: '53aad1fd1608',
  traffic_hours: 'b7c5fd2c42e1',
  traffic_minutes: 'b68430b9b7fe',
  transaction_marks: '1f472bc97920',
  unknown_outcomes: '09d442d7d83f',
  usage_counters: 'e54c70415b58',
  voice_calls: 'd3b84d1470e2',
  webhook_attempts: 'd6286891c022',
  webhook_counters: '62f1dd179a61',
  webhook_deliveries: '7043fd5cc0df',
  webhook_endpoints: '1b732e5f4374',
  webhook_events: '76368c0f3262',
};
const MOST_STATEMENTS = 120;

describe('the baseline', () => {
  let server: Connection;
  const url = new URL(requireVariable('DATABASE_URL'));
  const opened: { name: string; source: DataSource }[] = [];

  beforeAll(async () => {
    server = await createConnection({ uri: url.href });
  });
  afterEach(async () => {
    for (const { name, source } of opened.splice(0)) {
      await source.destroy();
      await server.query(`DROP DATABASE ${name}`);
    }
  });
  afterAll(() => server.end());

  /** An empty database in which nothing but the baseline, or all migrations, can run; its default characters are not ours. */
  async function empty(migrations?: DataSourceOptions['migrations']): Promise<DataSource> {
    const name = `switchboard_test_${randomBytes(6).toString('hex')}`;
    await server.query(`CREATE DATABASE ${name} CHARACTER SET latin1 COLLATE latin1_swedish_ci`);
    const here = new URL(url);
    here.pathname = `/${name}`;
    const options = { ...dataSourceOptions(here.href, 1), ...(migrations ? { migrations } : {}) };
    const source = await new DataSource(options).initialize();
    opened.push({ name, source });
    return source;
  }

  const names = async (source: DataSource): Promise<string[]> => {
    const rows = await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
    return rows.map(({ name }) => name);
  };

  it('makes the schema of version 0.3.0, which can be started on it again', async () => {
    const source = await empty([Baseline1700000018701]);
    const runner = source.createQueryRunner();
    const questions = async (): Promise<number> => {
      const [row] = (await runner.query("SHOW SESSION STATUS LIKE 'Questions'")) as { Value: string }[];
      return Number(row?.Value);
    };
    await runner.query(
      'CREATE TABLE migrations (id INT AUTO_INCREMENT PRIMARY KEY, timestamp BIGINT, name VARCHAR(255))',
    );
    const before = await questions();
    await new Baseline1700000018701().up(runner);
    const statements = (await questions()) - before;
    await runner.release();
    expect(await schemaFingerprints(source)).toEqual(OF_VERSION_0_3_0);
    expect(await names(source)).toEqual(FORMER_MIGRATIONS);
    expect(statements).toBeLessThan(MOST_STATEMENTS);
    expect(await source.query('SELECT route_id, number, account_id FROM route_senders')).toEqual([
      { route_id: 0, number: '', account_id: 0 },
    ]);
  });

  it('is there already in a database of version 0.3.0, which is migrated without it', async () => {
    const source = await empty();
    await source.runMigrations({ transaction: 'each' });
    const applied = await names(source);
    expect(applied).toEqual([...FORMER_MIGRATIONS, ...source.migrations.map(({ constructor: { name } }) => name)]);
    for (const migration of source.migrations.slice(1)) {
      expect(migration.constructor.name).not.toBe(Baseline1700000018701.name);
      await source.undoLastMigration();
    }
    await source.query('DELETE FROM migrations WHERE name = ?', [Baseline1700000018701.name]);
    await source.query("INSERT INTO last_backup (id, ended_at) VALUES (1, '2026-11-01')");
    expect(await schemaFingerprints(source)).toEqual(OF_VERSION_0_3_0);

    const run = await source.runMigrations({ transaction: 'each' });
    expect(run.map(({ name }) => name)).toEqual(source.migrations.map(({ constructor: { name } }) => name));
    expect(await source.query('SELECT id FROM last_backup')).toEqual([{ id: 1 }]);
    expect((await names(source)).sort()).toEqual(applied.sort());
    expect(await source.runMigrations()).toEqual([]);
  });

  it('refuses a database of a version before, and changes nothing in it', async () => {
    const source = await empty();
    await source.query(
      'CREATE TABLE migrations (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, timestamp BIGINT NOT NULL, name VARCHAR(255) NOT NULL)',
    );
    const former = FORMER_MIGRATIONS.slice(0, -3);
    await source.query('INSERT INTO migrations (timestamp, name) VALUES ?', [former.map((name) => [1, name])]);
    await expect(source.runMigrations({ transaction: 'each' })).rejects.toThrow(
      /older than version 0\.3\.0 \(without EarlyStops1700000017800\): upgrade it to 0\.3\.0 first/,
    );
    expect(await names(source)).toEqual(former);
    expect(Object.keys(await schemaFingerprints(source))).toEqual([]);
  });
});
