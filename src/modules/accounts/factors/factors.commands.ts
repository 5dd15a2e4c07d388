import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import type { JsonObject } from '../../../kernel/json-values.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { duplicateKeyName, inTransaction } from '../../../platform/database/index.js';
import { Credentials } from '../authentication/credentials.js';
import { mustHaveSecondFactor } from '../domain/account-policy.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, loginOf } from '../domain/account.js';
import { AuditLog } from '../logs/logs.store.js';
import { AccountNotices } from '../../notices/index.js';
import { SessionStore } from '../sessions/sessions.store.js';
import { FactorStore, PASSKEYS_PER_LOGIN } from './factors.store.js';
import { FactorChanges } from './factor-changes.js';
import { Passkeys } from './passkeys.js';
import { type FactorProof, SecondFactors } from './second-factors.js';
import { newTotpSecret, totpStep, totpUri } from './codes.js';

const ISSUER = 'Switchboard';

/** Begins the enrolment of an authenticator app and returns its secret, never again. @throws AppError 403, 409 if there is one */
export class BeginTotpCommand extends Command<{ secret: string; uri: string }> {
  constructor(readonly actor: Account) {
    super();
  }
}

@CommandHandler(BeginTotpCommand)
export class BeginTotpHandler implements ICommandHandler<BeginTotpCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly factors: FactorStore,
  ) {}

  async execute({ actor }: BeginTotpCommand): Promise<{ secret: string; uri: string }> {
    const secret = newTotpSecret();
    await inTransaction(this.dataSource, async (tx) => {
      if (await this.factors.totp(loginOf(actor).id, true, tx)) throw accountErrors.totpThere();
      await this.factors.beginTotp(tx, actor, secret);
    });
    return { secret, uri: totpUri(secret, ISSUER, loginOf(actor).username) };
  }
}

/** Confirms an app with one of its codes. Returns the recovery codes of a first factor. @throws AppError 400, 404, 429 */
export class ConfirmTotpCommand extends Command<string[]> {
  constructor(
    readonly actor: Account,
    readonly otp: string,
  ) {
    super();
  }
}

@CommandHandler(ConfirmTotpCommand)
export class ConfirmTotpHandler implements ICommandHandler<ConfirmTotpCommand> {
  constructor(
    private readonly factors: FactorStore,
    private readonly secondFactors: SecondFactors,
    private readonly changes: FactorChanges,
  ) {}

  async execute({ actor, otp }: ConfirmTotpCommand): Promise<string[]> {
    const holderId = loginOf(actor).id;
    const begun = await this.factors.totp(holderId, false);
    if (!begun) throw accountErrors.factorNotFound();
    const steps: number[] = [];
    const isGood = await this.secondFactors.limited(holderId, () => {
      const step = totpStep(this.factors.secretOf(begun), otp.replace(/\s/g, ''), now());
      if (step !== null) steps.push(step);
      return Promise.resolve(step !== null);
    });
    const [taken] = steps;
    if (!isGood || taken === undefined) throw accountErrors.wrongFactor();
    return this.changes.add(actor, 'totp', async (tx) => {
      if (await this.factors.totp(holderId, true, tx)) throw accountErrors.totpThere();
      if (!(await this.factors.confirmTotp(tx, begun.id, taken))) throw accountErrors.factorNotFound();
    });
  }
}

/** Adds a passkey. Returns the recovery codes of a first factor. @throws AppError 400 for an answer that is not good, 409 */
export class AddPasskeyCommand extends Command<string[]> {
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly answer: unknown,
    readonly origin: string | undefined,
  ) {
    super();
  }
}

const CREDENTIAL_KEY = /\buq_login_factors_credential$/;

@CommandHandler(AddPasskeyCommand)
export class AddPasskeyHandler implements ICommandHandler<AddPasskeyCommand> {
  constructor(
    private readonly factors: FactorStore,
    private readonly passkeys: Passkeys,
    private readonly changes: FactorChanges,
  ) {}

  async execute({ actor, name, answer, origin }: AddPasskeyCommand): Promise<string[]> {
    const passkey = await this.passkeys.registered(actor, actor.session?.id ?? 0, answer, origin);
    if (!passkey) throw accountErrors.wrongFactor();
    return this.changes.add(actor, 'passkey', async (tx) => {
      const known = await this.factors.of(loginOf(actor).id, tx);
      if (known.filter(({ kind }) => kind === 'passkey').length >= PASSKEYS_PER_LOGIN)
        throw accountErrors.tooManyPasskeys(PASSKEYS_PER_LOGIN);
      try {
        await this.factors.addPasskey(tx, actor, { ...passkey, name });
      } catch (error) {
        if (CREDENTIAL_KEY.test(duplicateKeyName(error) ?? '')) throw accountErrors.wrongFactor();
        throw error;
      }
    });
  }
}

/** Removes a factor of the acting login. @throws AppError 404, 409 for the last one where there must be one */
export class RemoveFactorCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveFactorCommand)
export class RemoveFactorHandler implements ICommandHandler<RemoveFactorCommand> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly factors: FactorStore,
    private readonly changes: FactorChanges,
  ) {}

  async execute({ actor, id }: RemoveFactorCommand): Promise<void> {
    await this.changes.remove(actor, async (tx) => {
      const known = await this.factors.of(loginOf(actor).id, tx);
      const factor = known.find((one) => one.id === id);
      if (!factor) throw accountErrors.factorNotFound();
      const isLast = known.length === 1;
      if (isLast && mustHaveSecondFactor(this.environment.REQUIRE_SECOND_FACTOR, actor))
        throw accountErrors.factorNeeded();
      if (isLast) await this.factors.removeAll(tx, loginOf(actor).id);
      else await this.factors.remove(tx, id);
      return { kind: factor.kind, isLast };
    });
  }
}

/** Replaces the recovery codes of the acting login and returns them, never again. @throws AppError 404 without a second factor */
export class RenewRecoveryCodesCommand extends Command<string[]> {
  constructor(readonly actor: Account) {
    super();
  }
}

@CommandHandler(RenewRecoveryCodesCommand)
export class RenewRecoveryCodesHandler implements ICommandHandler<RenewRecoveryCodesCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly factors: FactorStore,
    private readonly audit: AuditLog,
    private readonly notices: AccountNotices,
  ) {}

  async execute({ actor }: RenewRecoveryCodesCommand): Promise<string[]> {
    const { id: holderId, username: subject } = loginOf(actor);
    const codes = await inTransaction(this.dataSource, async (tx) => {
      if ((await this.factors.of(holderId, tx)).length === 0) throw accountErrors.factorNotFound();
      await this.audit.record(tx, { actor, action: 'second_factor.codes', subject, details: {} });
      return this.factors.renewCodes(tx, holderId);
    });
    await this.notices.notify(actor, { type: 'second_factor.changed', change: 'new recovery codes' });
    return codes;
  }
}

/** Confirms again that the person is there: good for 10 minutes of this session. @throws AppError 400, 401, 429 */
export class ConfirmSessionCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly password: string | null,
    readonly proof: FactorProof,
    readonly ip: string,
  ) {
    super();
  }
}

@CommandHandler(ConfirmSessionCommand)
export class ConfirmSessionHandler implements ICommandHandler<ConfirmSessionCommand> {
  constructor(
    private readonly sessions: SessionStore,
    private readonly secondFactors: SecondFactors,
    private readonly credentials: Credentials,
  ) {}

  async execute({ actor, password, proof, ip }: ConfirmSessionCommand): Promise<void> {
    const { session } = actor;
    // only another login at the provider confirms a session that came by it
    if (!session || session.isByProvider) throw accountErrors.confirmationRequired();
    if (password !== null) await this.credentials.proveActor(actor, { currentPassword: password, ip });
    else {
      const of = { holderId: loginOf(actor).id, purpose: 'confirm', sessionId: session.id } as const;
      if (!(await this.secondFactors.isGood(of, proof))) throw accountErrors.wrongFactor();
    }
    await this.sessions.confirm(session.id);
  }
}

/**
 * Makes a challenge for the browser: for a new passkey (`enrol`), or to show one (`confirm`; null without one). @throws AppError 409
 * without a domain name
 */
export class ShowPasskeyOptionsCommand extends Command<JsonObject | null> {
  constructor(
    readonly actor: Account,
    readonly purpose: 'enrol' | 'confirm',
    readonly origin: string | undefined,
  ) {
    super();
  }
}

@CommandHandler(ShowPasskeyOptionsCommand)
export class ShowPasskeyOptionsHandler implements ICommandHandler<ShowPasskeyOptionsCommand> {
  constructor(private readonly passkeys: Passkeys) {}

  execute({ actor, purpose, origin }: ShowPasskeyOptionsCommand): Promise<JsonObject | null> {
    const sessionId = actor.session?.id ?? 0;
    if (purpose === 'enrol') return this.passkeys.registrationOptions(actor, sessionId, origin);
    return this.passkeys.options({ holderId: loginOf(actor).id, purpose, sessionId }, origin);
  }
}
