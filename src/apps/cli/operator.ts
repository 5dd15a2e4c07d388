import { setTimeout as sleep } from 'node:timers/promises';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import {
  AccountDirectoryModule,
  AccountRegistrar,
  AccountStore,
  AuditLog,
  DirectoryFill,
  FactorStore,
  ManagedAccounts,
  NameClaims,
  passwordChange,
  passwordFault,
  SessionStore,
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

/** Parts of a login that are lost. */
export interface LostLogin {
  /** a new one is asked for */
  password?: true;
  /** its second factors and recovery codes are removed */
  secondFactor?: true;
  /** it is closed or expired, and becomes active without an end */
  open?: true;
}

/** Lets an account in again that no other login can help, such as the last super; signs it out everywhere; audited as `system`. */
@Injectable()
class LoginReset {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly accounts: AccountStore,
    private readonly managed: ManagedAccounts,
    private readonly sessions: SessionStore,
    private readonly factors: FactorStore,
    private readonly passwords: PasswordHasher,
    private readonly audit: AuditLog,
  ) {}

  async reset(username: string, lost: LostLogin, password: string | null): Promise<void> {
    const seen = await this.accounts.rowByUsername(username);
    if (!seen) throw new Failure('Account not found');
    const fault = password === null ? null : passwordFault(password);
    if (fault !== null) throw new Failure(fault.text);
    const passwordHash = password === null ? null : await this.passwords.hash(password);
    await inTransaction(this.dataSource, async (tx) => {
      const row = await this.accounts.lockById(tx, seen.id);
      if (!row) throw new Failure('Account not found');
      const at = now();
      await this.managed.updateAnyway(tx, row, {
        ...(passwordHash !== null && { passwordHash, passwordChangedAt: passwordChange(row, at) }),
        ...(passwordHash !== null && { passwordSetBy: null, passwordSetAt: at }),
        ...(lost.open && { isActive: true, expiresAt: null }),
        ...(lost.secondFactor && { secondFactor: false }),
        updatedAt: at,
      });
      if (lost.secondFactor) await this.factors.removeAll(tx, row.id);
      await this.sessions.endAll(tx, row.id, 'staff');
      const details = { reset: Object.keys(lost), reason: REASON };
      const entry = { actor: null, action: 'account.reset_login', subject: username, accountId: row.id };
      await this.audit.record(tx, { ...entry, details });
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
  providers: [AdminCreation, LoginReset, FactorStore, CampaignRequeue, LaneWake],
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

/** Resets what is lost of a login; prompts for a new password. */
export async function resetLogin(username: string, lost: LostLogin): Promise<void> {
  if (Object.keys(lost).length === 0)
    throw new Failure('Say what is lost: --password, --second-factor or --open', EXIT.usage);
  const password = lost.password ? await readPassword(`New password of ${username}: `) : null;
  await withOperator((app) => app.get(LoginReset).reset(username, lost, password));
  print(`${username} can log in again, and is signed out everywhere`);
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
