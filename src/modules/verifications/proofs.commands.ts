import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AppError } from '../../kernel/errors.js';
import { ENVIRONMENT } from '../../platform/config/index.js';
import { afterCommit } from '../../platform/database/index.js';
import { type Account, AccountDirectory, AccountRegistrar, AuditLog } from '../accounts/index.js';
import { readMessageNumber } from '../messages/index.js';
import { isSpecial } from '../numbers/index.js';
import { ProofLimits } from './verification-limits.js';
import {
  type Provable,
  provable,
  type ProofSettings,
  USUAL_LOCALE,
  USUAL_TEXT,
  type VerificationRequest,
} from './verification-request.js';
import { VerificationChecks, VerificationStarts } from './verification-starts.js';
import { LENGTHS, proofErrors, SAME_S, TTL_S, verificationErrors } from './verifications.errors.js';
import { type CheckedCode, type Verification, VerificationStore } from './verifications.store.js';

/**
 * Sends a code to what the account registered with: by e-mail, or by an SMS that the account of REGISTRATION_PAYER pays. Again
 * within 30 seconds nothing is sent.
 * @throws AppError conflict: nothing to prove; invalid: no such way; too_many: limits; unavailable: it cannot be sent
 */
export class StartProofCommand extends Command<Verification> {
  constructor(
    readonly account: Account,
    readonly by: unknown,
    readonly ip: string,
  ) {
    super();
  }
}

@CommandHandler(StartProofCommand)
export class StartProofHandler implements ICommandHandler<StartProofCommand> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: ProofSettings,
    private readonly accounts: AccountDirectory,
    private readonly limits: ProofLimits,
    private readonly starts: VerificationStarts,
  ) {}

  async execute({ account, by, ip }: StartProofCommand): Promise<Verification> {
    const { isDue, ways } = provable(account, this.environment);
    if (!isDue) throw proofErrors.done();
    if (ways.length === 0) throw proofErrors.unavailable();
    const way = ways.find((known) => known.by === by);
    if (!way) throw proofErrors.by(ways.map((known) => known.by));
    const payer = way.by === 'email' ? account : await this.payer();
    const request = requestOf(account, way, ip);
    const count = (): Promise<void> => this.limits.count(account.id, payer.id, request);
    const { verification } = await this.starts.start(payer, request, count).catch((error: unknown) => {
      // what the payer lacks stays with the operator
      if (error instanceof AppError && error.kind !== 'too_many') throw proofErrors.unavailable();
      throw error;
    });
    if (verification.wanted.proofOf !== account.id) throw proofErrors.limit(SAME_S);
    return verification;
  }

  private async payer(): Promise<Account> {
    const payer = await this.accounts.byUsername(this.environment.REGISTRATION_PAYER ?? '');
    if (!payer || !this.accounts.usable(payer)) throw proofErrors.unavailable();
    return payer;
  }
}

/** Enough for the text of an e-mail, which names no account. */
const HOUSE = 'Switchboard';

function requestOf(account: Account, { by, to }: Provable['ways'][number], clientIp: string): VerificationRequest {
  return {
    to: by === 'email' ? to : numberOf(account, to),
    channels: [by === 'email' ? 'email' : 'sms'],
    length: LENGTHS.usual,
    ttlSeconds: TTL_S.usual,
    locale: USUAL_LOCALE,
    template: USUAL_TEXT,
    chatTemplate: null,
    app: by === 'email' ? HOUSE : null,
    options: { senderId: null, dltTemplateId: null },
    ref: null,
    clientIp,
    isTest: false,
    proofOf: account.id,
    warnings: [],
  };
}

/** @throws AppError invalid for a number that no plan knows, or of a dear range: strangers choose what the operator pays */
function numberOf(account: Account, mobileNo: string): string {
  try {
    const { to } = readMessageNumber(mobileNo, { ...account, numberCheck: 'refuse' });
    if (isSpecial(to)) throw proofErrors.number();
    return to;
  } catch (error) {
    throw error instanceof AppError ? proofErrors.number() : error;
  }
}

/**
 * Checks the code of a proof; with the right one the account has all its rights and its starting credits, in one transaction.
 * @throws AppError not_found: not a proof of this account; conflict: it is over
 */
export class CheckProofCommand extends Command<CheckedCode> {
  constructor(
    readonly account: Account,
    readonly id: number,
    readonly code: string,
  ) {
    super();
  }
}

@CommandHandler(CheckProofCommand)
export class CheckProofHandler implements ICommandHandler<CheckProofCommand> {
  constructor(
    private readonly store: VerificationStore,
    private readonly checks: VerificationChecks,
    private readonly registrar: AccountRegistrar,
    private readonly accounts: AccountDirectory,
    private readonly audit: AuditLog,
  ) {}

  async execute({ account, id, code }: CheckProofCommand): Promise<CheckedCode> {
    const found = await this.store.byId(id);
    if (found?.wanted.proofOf !== account.id) throw verificationErrors.notFound();
    return this.checks.check(found, code, async (tx) => {
      await this.registrar.prove(tx, account.id);
      const details = { by: found.channels[0] === 'email' ? 'email' : 'phone' };
      await this.audit.record(tx, { actor: account, action: 'account.prove', subject: account.username, details });
      afterCommit(tx, () => this.accounts.forget(account.id));
    });
  }
}
