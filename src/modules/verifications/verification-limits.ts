import { isIPv4 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { personKey } from '../../kernel/phone-numbers.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { networksOf, RateCounters } from '../../platform/security/index.js';
import type { VerificationRequest, Wanted } from './verification-request.js';
import { proofErrors, verificationErrors } from './verifications.errors.js';
import { VerificationStore } from './verifications.store.js';

const HOUR_S = 3_600;
const DAY_MS = 86_400_000;
/** Until the next day (UTC). */
const secondsOfDay = (): number => Math.ceil((DAY_MS - (now().getTime() % DAY_MS)) / 1_000);
/** Numbers that differ in their last digits only are one range. */
const RANGE_DIGITS = 4;

interface Counted extends Pick<Wanted, 'clientIp' | 'isTest'> {
  to: string;
}

/**
 * Bounds the messages of verifications by person, by the network of the person's device, by range of numbers and by account.
 * They hold the cost of fraud by themselves. The account's are counted in the database, the others in Redis, and in this
 * process while it is away.
 */
@Injectable()
export class VerificationLimits {
  constructor(
    private readonly counters: RateCounters,
    private readonly store: VerificationStore,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Counts one message, narrow limits first. Those of tests are counted apart. @throws AppError too_many */
  async count(accountId: number, { to, clientIp, isTest }: Counted): Promise<void> {
    const account = isTest ? `${accountId}:test` : String(accountId);
    const { VERIFICATIONS_PER_NUMBER, VERIFICATIONS_PER_NETWORK, VERIFICATIONS_PER_RANGE } = this.environment;
    await this.hit(`${account}:number:${personKey(to)}`, VERIFICATIONS_PER_NUMBER);
    for (const { name, share } of clientIp === null ? [] : networksOf(clientIp))
      await this.hit(`${account}:network:${name}`, VERIFICATIONS_PER_NETWORK * share);
    await this.hit(`${account}:range:${to.slice(0, -RANGE_DIGITS)}`, VERIFICATIONS_PER_RANGE);
    await this.countDay(accountId, isTest);
  }

  private async hit(key: string, limit: number): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.counters.hit(`verify:${key}`, limit, HOUR_S);
    if (!allowed) throw verificationErrors.limit(retryAfterSeconds);
  }

  /** Exact, in the database: it bounds the money. */
  private async countDay(accountId: number, isTest: boolean): Promise<void> {
    const most = this.environment.VERIFICATIONS_PER_DAY;
    if (most > 0 && !(await this.store.countDay(accountId, isTest, most))) {
      throw verificationErrors.limit(secondsOfDay());
    }
  }
}

/** Of one account, and to one number or mailbox. */
const MOST_PER_PERSON = 5;
/** Of 256 neighbours of an IPv4 address, as many as of ten. */
const NEIGHBOURS = 10;
/** In place of an account: the whole installation. */
const HOUSE = 0;

/** `jane+7@example.com` is the mailbox of `jane@example.com`. */
const mailboxOf = (email: string): string => email.replace(/\+[^@]*@/, '@');

/**
 * Bounds the codes that strangers cause: by account, number or mailbox, network and day. The day of the whole installation is
 * counted in the database and exact, so no flood of addresses and no loss of Redis costs more than REGISTRATION_CODES_PER_DAY.
 */
@Injectable()
export class ProofLimits {
  constructor(
    private readonly counters: RateCounters,
    private readonly store: VerificationStore,
    private readonly verifications: VerificationLimits,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Counts one code, narrow limits first. @param payerId the account itself for an e-mail @throws AppError too_many */
  async count(accountId: number, payerId: number, request: VerificationRequest): Promise<void> {
    const { to, channels, clientIp } = request;
    const isMail = channels[0] === 'email';
    await this.hit(`account:${accountId}`, MOST_PER_PERSON);
    await this.hit(`person:${isMail ? mailboxOf(to) : personKey(to)}`, MOST_PER_PERSON);
    const most = this.environment.REGISTRATION_CODES_PER_NETWORK;
    const ip = clientIp ?? '';
    for (const { name, share } of networksOf(ip)) await this.hit(`network:${name}`, most * share);
    if (isIPv4(ip)) await this.hit(`network:${ip.replace(/\d+$/, '0/24')}`, most * NEIGHBOURS);
    if (!isMail) await this.verifications.count(payerId, request);
    if (await this.store.countDay(HOUSE, false, this.environment.REGISTRATION_CODES_PER_DAY)) return;
    throw proofErrors.limit(secondsOfDay());
  }

  private async hit(key: string, limit: number): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.counters.hit(`proof:${key}`, limit, DAY_MS / 1_000);
    if (!allowed) throw proofErrors.limit(retryAfterSeconds);
  }
}
