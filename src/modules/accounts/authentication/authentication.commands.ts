import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AppError, fieldErrors } from '../../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { AddressLimits, PasswordHasher } from '../../../platform/security/index.js';
import { countryGuess } from '../../numbers/index.js';
import { knownTimeZone } from '../account-changes.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, loginOf } from '../domain/account.js';
import { strictTerms } from '../domain/guard-terms.js';
import { identitiesOf } from '../domain/identity.js';
import { readRegistration } from '../domain/registration.js';
import { SecurityLog } from '../logs/logs.store.js';
import { type FactorProof, SecondFactors } from '../factors/second-factors.js';
import { NameCheck, NameClaims } from '../names.store.js';
import { AccountRegistrar, isDisposable } from '../registration.store.js';
import type { Client } from '../sessions/device.js';
import { NetworkNotices } from '../sessions/network-notices.js';
import { AccessTokens } from './access-tokens.js';
import { Credentials } from './credentials.js';

/** Logs in and counts failures (reference/authentication#login). */
export class LogInCommand extends Command<{ token: string; account: Account }> {
  constructor(
    readonly emailOrUsername: string,
    readonly password: string,
    readonly client: Client,
    readonly proof: FactorProof,
  ) {
    super();
  }
}

@CommandHandler(LogInCommand)
export class LogInHandler implements ICommandHandler<LogInCommand> {
  constructor(
    private readonly credentials: Credentials,
    private readonly tokens: AccessTokens,
    private readonly log: SecurityLog,
    private readonly factors: SecondFactors,
    private readonly notices: NetworkNotices,
  ) {}

  async execute({
    emailOrUsername,
    password,
    client,
    proof,
  }: LogInCommand): Promise<{ token: string; account: Account }> {
    const account = await this.credentials.check(emailOrUsername, password, client.ip);
    const { username, hasSecondFactor } = loginOf(account);
    if (hasSecondFactor) {
      await this.factors.proveLogin(account, proof).catch((error: unknown) => {
        const isQuestion = error instanceof AppError && error.code === accountErrors.secondFactorRequired.code;
        if (!isQuestion) this.log.record('login_failed', username, account.id, client.ip);
        throw error;
      });
    }
    this.log.record('login', username, account.id, client.ip);
    const isNew = await this.notices.isNew(account, client);
    const token = await this.tokens.begin(account, client);
    if (isNew) await this.notices.notify(account, client);
    return { token, account };
  }
}

/** Ends the token's session: here at once, on other instances within 3 s. */
export class LogOutCommand extends Command<void> {
  constructor(readonly token: string) {
    super();
  }
}

@CommandHandler(LogOutCommand)
export class LogOutHandler implements ICommandHandler<LogOutCommand> {
  constructor(private readonly tokens: AccessTokens) {}

  execute({ token }: LogOutCommand): Promise<void> {
    return this.tokens.revoke(token);
  }
}

/** Registers an account, completely in one transaction (reference/authentication#registration). */
export class RegisterAccountCommand extends Command<Account> {
  /** `body`: unparsed, because its validation order is special; `ip`: for REGISTER_RATE_LIMIT. */
  constructor(
    readonly body: Record<string, unknown>,
    readonly ip: string,
  ) {
    super();
  }
}

@CommandHandler(RegisterAccountCommand)
export class RegisterAccountHandler implements ICommandHandler<RegisterAccountCommand> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly addresses: AddressLimits,
    private readonly names: NameCheck,
    private readonly claims: NameClaims,
    private readonly hasher: PasswordHasher,
    private readonly registrar: AccountRegistrar,
  ) {}

  /** Checks names before the slow hash; unique keys decide in the transaction. */
  async execute({ body, ip }: RegisterAccountCommand): Promise<Account> {
    const { REGISTRATION, SMTP_URL } = this.environment;
    if (REGISTRATION === 'off') throw accountErrors.registrationClosed();
    await this.addresses.count('register', ip, this.environment.REGISTER_RATE_LIMIT);
    const form = readRegistration(body);
    const proofDue = REGISTRATION === 'verified';
    if (proofDue && (await isDisposable(form.email))) throw accountErrors.disposableEmail();
    if (proofDue && !SMTP_URL && form.mobileNo === undefined) throw fieldErrors.required('mobile_no');
    const names = await this.names.check(form);
    const passwordHash = await this.hasher.hash(form.password);
    const { firstname, lastname, country } = form;
    const timeZone = knownTimeZone(form.timeZone);
    const countryCode = countryGuess(country, timeZone ?? this.environment.APP_TIME_ZONE);
    // Only staff lift what binds a stranger, also when the account gets a reseller.
    const strict = { guard: strictTerms(countryCode), requireSender: true, setByStaff: ['require_sender'] };
    const guarded = this.environment.REGISTERED_GUARD === 'strict' ? strict : {};
    const person = { firstname, lastname, country, countryCode, timeZone, proofDue };
    const input = { ...names, passwordHash, ...person, ...guarded };
    return this.claims.naming(identitiesOf(names), undefined, (tx) => this.registrar.create(tx, input));
  }
}
