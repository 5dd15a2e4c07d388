import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AccountDirectory, AccountRegistrar, AuditLog, type NewAccount } from '../../../modules/accounts/index.js';
import { BALANCES } from '../../../modules/credits/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { PasswordHasher } from '../../../platform/security/index.js';
import { keptPassword } from './kept-password.js';

export const DEMO_USERNAME = 'demo';
export const DEMO_PASSWORD = 'Demo-1234!';
const DEMO_CREDITS = 1_000;

/** The accounts that exist from the first start on (decisions §2). An existing account is never touched. */
@Injectable()
export class FirstAccounts {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly directory: AccountDirectory,
    private readonly registrar: AccountRegistrar,
    private readonly passwords: PasswordHasher,
    private readonly audit: AuditLog,
  ) {}

  /** @returns lines for the operator; empty when nothing was created */
  async ensure(): Promise<string[]> {
    const lines = await this.ensureAdmin();
    return this.environment.NODE_ENV === 'development' ? [...lines, ...(await this.ensureDemo())] : lines;
  }

  private async ensureAdmin(): Promise<string[]> {
    const username = this.environment.ADMIN_USERNAME;
    if (await this.directory.byUsername(username)) return [];
    const given = this.environment.ADMIN_PASSWORD;
    const first = given === undefined ? await keptPassword(this.environment.DATA_DIR) : { password: given, file: null };
    await this.create({
      username,
      passwordHash: await this.passwords.hash(first.password),
      firstname: 'First',
      lastname: 'Admin',
      userType: 'super',
    });
    if (given !== undefined) return [`Created the admin account "${username}" with the password of ADMIN_PASSWORD`];
    const where = first.file === null ? 'it is not kept anywhere: note it now' : `kept in ${first.file}`;
    return [`Created the admin account "${username}" with the password ${first.password} (${where})`];
  }

  private async ensureDemo(): Promise<string[]> {
    if (await this.directory.byUsername(DEMO_USERNAME)) return [];
    await this.create({
      username: DEMO_USERNAME,
      passwordHash: await this.passwords.hash(DEMO_PASSWORD),
      firstname: 'Demo',
      lastname: 'Account',
      startingCredits: Object.fromEntries(BALANCES.map((balance) => [balance, DEMO_CREDITS])),
    });
    return [`Created the demo account "${DEMO_USERNAME}" with the password ${DEMO_PASSWORD}`];
  }

  private async create(account: NewAccount): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const created = await this.registrar.create(tx, account);
      const details = { user_type: created.userType, reason: 'first start' };
      await this.audit.record(tx, { actor: null, action: 'account.create', subject: created.username, details });
    });
  }
}
