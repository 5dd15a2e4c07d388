import { Injectable } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import type { AppError } from '../../../kernel/errors.js';
import { RateCounters, tooMany } from '../../../platform/security/index.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, loginOf } from '../domain/account.js';
import type { ChallengePurpose } from './challenges.store.js';
import { FactorStore } from './factors.store.js';
import { Passkeys } from './passkeys.js';
import { recoveryDigest, totpStep } from './codes.js';

/** Wrong codes of a login in an hour. Of three good ones in a million, a guesser meets one in 15 years. */
const MOST_FAILURES = 10;
const HOUR_SECONDS = 3_600;

/** What a person shows beside the password. */
export interface FactorProof {
  /** a code of the app, or a recovery code; null = none */
  otp: string | null;
  /** what the browser answered; undefined = nothing */
  passkey: unknown;
  /** of the page, as the browser says */
  origin: string | undefined;
}

/** Checks second factors: codes within a limit, each good once. */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly factors: FactorStore,
    private readonly passkeys: Passkeys,
    private readonly counters: RateCounters,
  ) {}

  /**
   * The second step of a login. Without proof it says what is asked for (`methods`, and `passkey`: the browser's options).
   * @throws AppError 401 `Second factor required`, 401 `Invalid second factor`, 429 beyond ten wrong codes in an hour
   */
  async proveLogin(account: Account, proof: FactorProof): Promise<void> {
    const of = { holderId: loginOf(account).id, purpose: 'login', sessionId: 0 } as const;
    if (proof.otp === null && proof.passkey === undefined) throw await this.question(of, proof.origin);
    if (!(await this.isGood(of, proof))) throw accountErrors.secondFactorInvalid();
  }

  /** Whether the proof is good; uses it up. @throws AppError 429 beyond ten wrong codes in an hour */
  isGood(of: ChallengePurpose, { otp, passkey, origin }: FactorProof): Promise<boolean> {
    if (otp === null) return this.passkeys.isShown(of, passkey, origin);
    return this.limited(of.holderId, () => this.isCode(of.holderId, otp));
  }

  /** Runs a check of a code within the limit; parallel guesses learn nothing beyond it. @throws AppError 429 */
  async limited(holderId: number, check: () => Promise<boolean>): Promise<boolean> {
    const key = `factor-failures:${holderId}`;
    await this.refuseBlocked(key);
    if (await check()) {
      await this.refuseBlocked(key);
      return true;
    }
    const { allowed, retryAfterSeconds } = await this.counters.hit(key, MOST_FAILURES, HOUR_SECONDS);
    if (!allowed) throw tooMany(retryAfterSeconds);
    return false;
  }

  private async question(of: ChallengePurpose, origin: string | undefined): Promise<AppError> {
    const factors = await this.factors.of(of.holderId);
    const options = await this.passkeys.options(of, origin);
    const has = (kind: string): boolean => factors.some((factor) => factor.kind === kind);
    const methods = [
      ...(has('totp') ? ['totp'] : []),
      ...(options === null ? [] : ['passkey']),
      ...((await this.factors.codesLeft(of.holderId)) > 0 ? ['recovery_code'] : []),
    ];
    return accountErrors.secondFactorRequired().carrying({ methods, ...(options && { passkey: options }) });
  }

  private async isCode(holderId: number, code: string): Promise<boolean> {
    const digest = recoveryDigest(code);
    if (digest) return this.factors.takeCode(holderId, digest);
    const app = await this.factors.totp(holderId, true);
    const step = app && totpStep(this.factors.secretOf(app), code.replace(/\s/g, ''), now());
    return app !== null && step !== null && this.factors.takeStep(app.id, step);
  }

  private async refuseBlocked(key: string): Promise<void> {
    const wait = await this.counters.blocked(key, MOST_FAILURES);
    if (wait > 0) throw tooMany(wait);
  }
}
