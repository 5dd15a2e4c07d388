import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import {
  AccountDirectory,
  AccountRegistrar,
  AuditLog,
  LoginNames,
  NameClaims,
  type NewAccount,
  passwordFault,
  usernameOf,
} from '../../modules/accounts/index.js';
import { BALANCES } from '../../modules/credits/index.js';
import { type Environment, ENVIRONMENT, InvalidEnvironment } from '../../platform/config/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { PasswordHasher } from '../../platform/security/index.js';

const FILE = 'admin-password';
const RANDOM_BYTES = 12;

interface FirstPassword {
  password: string;
  file: string;
}

// Kept in `<directory>/admin-password` only, because printed text ends in logs. Reused, so that a new database gets the
// password that the operator knows.
async function keptPassword(directory: string): Promise<FirstPassword> {
  const file = join(directory, FILE);
  const kept = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (kept !== '') return { password: kept, file };
  // Contains every class of character that registration requires.
  const password = `A${randomBytes(RANDOM_BYTES).toString('base64url')}-a1`;
  await mkdir(directory, { recursive: true });
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  return { password, file };
}

export const DEMO_USERNAME = 'demo';
const DEMO_PASSWORD = 'Demo-1234!';
const DEMO_CREDITS = 1_000;

/** Creates the accounts of the first start (reference/running#first-accounts); never changes an existing account. */
@Injectable()
export class FirstAccounts {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly directory: AccountDirectory,
    private readonly names: LoginNames,
    private readonly registrar: AccountRegistrar,
    private readonly passwords: PasswordHasher,
    private readonly audit: AuditLog,
    private readonly claims: NameClaims,
  ) {}

  /** Returns lines for the operator, none if nothing was created. Throws InvalidEnvironment for a bad name or password. */
  async ensure(): Promise<string[]> {
    const lines = await this.ensureAdmin();
    return this.environment.NODE_ENV === 'development' ? [...lines, ...(await this.ensureDemo())] : lines;
  }

  private async ensureAdmin(): Promise<string[]> {
    const { ADMIN_USERNAME: username, ADMIN_PASSWORD: given } = this.environment;
    const fault = given === undefined ? null : passwordFault(given);
    if (fault !== null) throw invalid('ADMIN_PASSWORD', fault.text);
    if (await this.adminExists(username)) return [];
    const first = given === undefined ? await this.keptPassword() : { password: given, file: null };
    const taken = await this.create({
      username,
      passwordHash: await this.passwords.hash(first.password),
      firstname: 'First',
      lastname: 'Admin',
      userType: 'super',
    });
    if (taken) throw invalid('ADMIN_USERNAME', `"${username}" is an account of another cell: choose another name`);
    return [
      `Created the admin account "${username}" with the password ${first.file ? `in ${first.file}` : 'of ADMIN_PASSWORD'}`,
    ];
  }

  private keptPassword(): Promise<FirstPassword> {
    const { DATA_DIR } = this.environment;
    return keptPassword(DATA_DIR).catch((error: unknown) => {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown fault';
      throw invalid('ADMIN_PASSWORD', `needed, because none can be kept in DATA_DIR "${DATA_DIR}" (${reason})`);
    });
  }

  private async adminExists(username: string): Promise<boolean> {
    const holder = await this.names.holder('username', username.toLowerCase());
    if (!holder) return false;
    const taken = usernameOf(holder);
    if (taken !== username) {
      throw invalid('ADMIN_USERNAME', `"${username}" differs only in its letters' case from the existing "${taken}"`);
    }
    if (holder.assignedUser || holder.account.userType !== 'super') {
      throw invalid('ADMIN_USERNAME', `"${username}" exists already and is no super account: choose another name`);
    }
    return true;
  }

  private async ensureDemo(): Promise<string[]> {
    if (await this.directory.byUsername(DEMO_USERNAME)) return [];
    const taken = await this.create({
      username: DEMO_USERNAME,
      passwordHash: await this.passwords.hash(DEMO_PASSWORD),
      firstname: 'Demo',
      lastname: 'Account',
      startingCredits: Object.fromEntries(BALANCES.map((balance) => [balance, DEMO_CREDITS])),
    });
    if (taken) return [];
    return [`Created the demo account "${DEMO_USERNAME}" with the password ${DEMO_PASSWORD}`];
  }

  // True if another cell has the name: then nothing is created.
  private async create(account: NewAccount): Promise<boolean> {
    const name = { kind: 'username' as const, value: account.username.toLowerCase() };
    const claim = await this.claims.claim([name], account.userType).catch((error: unknown) => {
      if (error instanceof AppError && error.kind === 'conflict') return 'taken' as const;
      throw error;
    });
    if (claim === 'taken') return true;
    await inTransaction(this.dataSource, async (tx) => {
      await this.claims.end(tx, claim);
      const created = await this.registrar.create(tx, account);
      const details = { user_type: created.userType, reason: 'first start' };
      await this.audit.record(tx, { actor: null, action: 'account.create', subject: created.username, details });
    });
    return false;
  }
}

const invalid = (variable: string, text: string): InvalidEnvironment =>
  new InvalidEnvironment(`The environment is not valid:\n  ${variable}: ${text}`);
