import { setTimeout as sleep } from 'node:timers/promises';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  AccountDirectoryModule,
  AccountRegistrar,
  AuditLog,
  DirectoryFill,
  NameClaims,
  passwordFault,
} from '../../modules/accounts/index.js';
import { LaneWake } from '../../modules/engine/index.js';
import { ALL_TABLES } from '../../modules/table-rules/index.js';
import { ConfigModule, InvalidEnvironment, readEnvironment } from '../../platform/config/index.js';
import { ImpatientDatabaseModule, inTransaction } from '../../platform/database/index.js';
import { DayMaker, Retention, TablesModule } from '../../platform/periodic/index.js';
import { RelayNotifier, RelayNotifierModule } from '../../platform/queues/index.js';
import { PasswordHasher, SecurityModule } from '../../platform/security/index.js';
import { EXIT, Failure, print, readPassword } from './terminal.js';

const USERNAME = /^[A-Za-z0-9._-]{3,64}$/;
const REASON = 'command line';

export interface NewAdmin {
  username: string;
  password: string;
  userType: 'super' | 'admin';
  firstname: string;
  lastname: string;
}

/** Creates staff accounts without a login; audited as `system`. */
@Injectable()
class AdminCreation {
  constructor(
    private readonly registrar: AccountRegistrar,
    private readonly passwords: PasswordHasher,
    private readonly audit: AuditLog,
    private readonly claims: NameClaims,
  ) {}

  async create({ password, ...admin }: NewAdmin): Promise<void> {
    if (!USERNAME.test(admin.username)) throw new Failure('username is invalid');
    const fault = passwordFault(password);
    if (fault !== null) throw new Failure(fault.text);
    const passwordHash = await this.passwords.hash(password);
    const name = { kind: 'username' as const, value: admin.username.toLowerCase() };
    await this.claims.naming([name], admin.userType, async (tx) => {
      const { username, userType } = await this.registrar.create(tx, { ...admin, passwordHash });
      const details = { user_type: userType, reason: REASON };
      await this.audit.record(tx, { actor: null, action: 'account.create', subject: username, details });
    });
  }
}

/** Wakes campaigns while nothing is sent; audited as `system`. */
@Injectable()
class CampaignRequeue {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly lanes: LaneWake,
    private readonly relay: RelayNotifier,
  ) {}

  async wake(requestId: string): Promise<NonNullable<Awaited<ReturnType<LaneWake['wake']>>>> {
    const woken = await inTransaction(this.dataSource, async (tx) => {
      const done = await this.lanes.wake(tx, requestId);
      if (done && done.lanes > 0) {
        const details = { lanes: done.lanes, reason: REASON };
        await this.audit.record(tx, { actor: null, action: 'campaign.requeue', subject: requestId, details });
      }
      return done;
    });
    if (!woken) throw new Failure('Campaign not found');
    this.relay.notify(woken.due);
    return woken;
  }
}

@Module({
  imports: [
    ConfigModule,
    ImpatientDatabaseModule,
    SecurityModule,
    AccountDirectoryModule,
    RelayNotifierModule,
    TablesModule.of(ALL_TABLES),
  ],
  providers: [AdminCreation, CampaignRequeue, LaneWake],
})
class OperatorModule {}

// `notify` reaches the relays a few milliseconds later.
const NOTIFIED_MS = 100;

export interface NewAdminOptions {
  type: 'super' | 'admin';
  firstname: string;
  lastname: string;
}

/** Creates a staff account; prompts for the password. */
export async function createAdmin(username: string, options: NewAdminOptions): Promise<void> {
  const password = await readPassword(`Password of the new account ${username}: `);
  const { type: userType, firstname, lastname } = options;
  await withOperator((app) => app.get(AdminCreation).create({ username, password, userType, firstname, lastname }));
  print(`Created the ${userType} account ${username}`);
}

/** Wakes due or stuck lanes of a campaign. */
export async function requeue(requestId: string): Promise<void> {
  const { state, lanes } = await withOperator(async (app) => {
    const woken = await app.get(CampaignRequeue).wake(requestId);
    await sleep(NOTIFIED_MS);
    return woken;
  });
  print(`${requestId} is ${state}: ${lanes} ${lanes === 1 ? 'lane' : 'lanes'} woken`);
}

/** Creates future daily partitions and removes expired data. */
export async function keepTables(): Promise<void> {
  await withOperator(async (app) => {
    await app.get(DayMaker).makeDays();
    const retention = app.get(Retention);
    await retention.removeAged();
    await retention.removeOver();
  });
  print('Days to come are made, and what is no longer kept is gone');
}

/** Copies the names of this cell to the directory. */
export async function fillDirectory(): Promise<void> {
  const filled = await withOperator((app) => app.get(DirectoryFill).fill());
  if (!filled) throw new Failure('CELL is not set');
  const { written, removed, foreign } = filled;
  for (const { kind, value, cell } of foreign) print(`${kind} ${value} is taken in cell ${cell}`);
  print(`${written} names stand in the directory, ${removed} are being taken out`);
  if (foreign.length > 0) throw new Failure('Some names are taken by other cells: see above', EXIT.notAsItShould);
}

async function withOperator<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  try {
    readEnvironment();
  } catch (error) {
    if (error instanceof InvalidEnvironment) throw new Failure(error.message);
    throw error;
  }
  const app = await NestFactory.createApplicationContext(OperatorModule, { logger: false, abortOnError: false }).catch(
    (error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      throw code === undefined ? error : new Failure(`The database cannot be reached (${code})`);
    },
  );
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
