import { randomBytes } from 'node:crypto';
import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { AccountDirectoryModule, AccountRegistrar } from '../../src/modules/accounts/index.js';
import { ChannelsModule, EngineModule, RecipientStatus } from '../../src/modules/engine/index.js';
import { EngineDispatchModule } from '../../src/modules/engine/engine.dispatch.module.js';
import { InboundReceptionModule } from '../../src/modules/inbound-messages/index.js';
import { SuppressionListModule } from '../../src/modules/suppressions/index.js';
import { CHANNELS } from '../../src/modules/channels/index.js';
import { ConfigModule, ENVIRONMENT, type Environment, readEnvironment } from '../../src/platform/config/index.js';
import { Metrics } from '../../src/platform/observability/index.js';
import { LeaderTasksModule } from '../../src/platform/periodic/index.js';
import { SecurityModule } from '../../src/platform/security/index.js';
import { DatabaseModule, inTransaction } from '../../src/platform/database/index.js';
import { DataSource } from 'typeorm';
import { createTestDatabase, requireVariable, type TestDatabase } from './database.js';
import type { CampaignDraft } from '../../src/modules/engine/accept/draft.js';
import { CampaignReader } from '../../src/modules/campaigns/index.js';

/** Counters without what serves them. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
class MetricsModule {}

@Module({
  imports: [
    ConfigModule,
    MetricsModule,
    SecurityModule,
    LeaderTasksModule,
    DatabaseModule,
    AccountDirectoryModule,
    ChannelsModule.of(CHANNELS),
    EngineModule,
    EngineDispatchModule,
    SuppressionListModule,
    InboundReceptionModule,
  ],
  providers: [CampaignReader],
})
class EngineTestModule {}

/** The engine without any HTTP and without what begins by itself, on a fresh database. */
export interface Engine {
  module: TestingModule;
  /** a part of the engine, wired as in a worker */
  part<T>(type: abstract new (...parameters: never[]) => T): T;
  database: TestDatabase;
  /** an account with these SMS credits; answers its id */
  account(username: string, credits: number): Promise<number>;
  draft(accountId: number, receivers: string[], fields?: Partial<CampaignDraft>): CampaignDraft;
  available(accountId: number): Promise<{ stored: number; ledger: number }>;
  counts(requestId: string): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

let serial = 0;

/** The engine's modules on a database that is there already: another process, as far as MySQL can tell. */
export async function startEngineOn(url: string, overrides: Partial<Environment> = {}): Promise<TestingModule> {
  const environment: Environment = {
    ...readEnvironment({
      NODE_ENV: 'test',
      DATABASE_URL: url,
      REDIS_URL: requireVariable('REDIS_URL'),
      REDIS_PREFIX: `test-${randomBytes(4).toString('hex')}`,
      JWT_SECRET: randomBytes(32).toString('hex'),
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      LOG_LEVEL: 'silent',
    }),
    ...overrides,
  };
  const module = await Test.createTestingModule({ imports: [EngineTestModule] })
    .overrideProvider(ENVIRONMENT)
    .useValue(environment)
    .compile();
  return module.init();
}

export async function startEngine(overrides: Partial<Environment> = {}): Promise<Engine> {
  const database = await createTestDatabase();
  const module = await startEngineOn(database.url, overrides);
  const { dataSource } = database;
  return {
    module,
    part: (type) => module.get(type, { strict: false }),
    database,
    account: (username, credits) =>
      inTransaction(module.get(DataSource), async (tx) => {
        const account = await module.get(AccountRegistrar, { strict: false }).create(tx, {
          username,
          passwordHash: 'not used here',
          firstname: 'Test',
          lastname: 'Account',
          startingCredits: { gsm_credits: credits },
        });
        return account.id;
      }),
    draft: (accountId, receivers, fields = {}) => ({
      accountId,
      channel: 'sms',
      requestId: { make: () => `TEST_${String(++serial).padStart(6, '0')}` },
      broadcastName: 'test',
      service: 'sandbox',
      routeId: 1,
      content: { message: 'hello' },
      balance: 'gsm_credits',
      unitCredits: 1,
      recipients: receivers,
      initialState: 'accepted',
      ...fields,
    }),
    available: async (accountId) => {
      const [row] = await dataSource.query<{ available: number; ledger: string }[]>(
        `SELECT b.available, (SELECT COALESCE(SUM(amount), 0) FROM credit_ledger l
           WHERE l.account_id = b.account_id AND l.balance = b.balance) AS ledger
         FROM credit_balances b WHERE b.account_id = ? AND b.balance = 'gsm_credits'`,
        [accountId],
      );
      return { stored: Number(row?.available), ledger: Number(row?.ledger) };
    },
    counts: async (requestId) => {
      const rows = await dataSource.query<{ status: RecipientStatus; recipients: string }[]>(
        `SELECT k.status, SUM(k.recipients) AS recipients FROM campaign_counters k JOIN campaigns c ON c.id = k.campaign_id
         WHERE c.request_id = ? GROUP BY k.status HAVING SUM(k.recipients) <> 0`,
        [requestId],
      );
      return Object.fromEntries(rows.map((row) => [RecipientStatus[row.status], Number(row.recipients)]));
    },
    stop: async () => {
      await module.close();
      await database.drop();
    },
  };
}

/** As if a worker had died while it sent to everybody: nobody knows what has left over route 1. */
export async function leaveUnknown(dataSource: DataSource, campaignId: number): Promise<void> {
  const { Unknown } = RecipientStatus;
  await dataSource.query(
    'UPDATE campaign_recipients SET status = ?, attempts = 1, outcome_unknown = 1 WHERE campaign_id = ?',
    [Unknown, campaignId],
  );
  await dataSource.query('UPDATE campaign_counters SET status = ? WHERE campaign_id = ?', [Unknown, campaignId]);
  await dataSource.query(
    `INSERT INTO unknown_outcomes (campaign_id, seq, route_id, receiver, created_at)
     SELECT campaign_id, seq, 1, receiver, NOW(3) FROM campaign_recipients WHERE campaign_id = ?`,
    [campaignId],
  );
}
