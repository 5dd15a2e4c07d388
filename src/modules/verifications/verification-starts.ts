import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, createdBy } from '../accounts/index.js';
import { Conversions } from '../guard/index.js';
import type { NewCode, VerificationRequest } from './verification-request.js';
import { VerificationSends } from './verification-sends.js';
import { VerificationEvents, VerificationStepper } from './verification-stepper.js';
import { MOST_TRIES, verificationErrors } from './verifications.errors.js';
import { type CheckedCode, type Verification, VerificationStore } from './verifications.store.js';

/** Starts beside others for the same number that one of them loses. */
const ROUNDS = 5;

export interface StartedVerification {
  verification: Verification;
  /** true: it was started before, and nothing was sent */
  isOpen: boolean;
}

/** Makes verifications and sends their first code. */
@Injectable()
export class VerificationStarts {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: VerificationStore,
    private readonly sends: VerificationSends,
    private readonly stepper: VerificationStepper,
  ) {}

  /** @param count counts what will be sent, and refuses it @throws AppError as StartVerificationCommand */
  async start(
    account: Account,
    request: VerificationRequest,
    count: () => Promise<void>,
  ): Promise<StartedVerification> {
    const first = await this.heldBy(account, request);
    if (first && 'isOpen' in first) return first;
    await count();
    const made = await this.make(account, request, first?.before ?? null);
    if (typeof made !== 'number') return made;
    return { verification: await this.begun(account, made), isOpen: false };
  }

  /** The number's open verification, or the one that a new start replaces. @throws AppError too_many */
  private async heldBy(
    { id }: Account,
    { to, isTest }: VerificationRequest,
  ): Promise<StartedVerification | { before: Verification } | null> {
    const found = await this.store.openOf(id, to, isTest);
    if (!found) return null;
    const { verification, isRecent, leftSeconds } = found;
    if (verification.status === 'too_many' && leftSeconds > 0) throw verificationErrors.locked(leftSeconds);
    return verification.status === 'pending' && isRecent ? { verification, isOpen: true } : { before: verification };
  }

  private async make(
    account: Account,
    request: VerificationRequest,
    replaced: Verification | null,
  ): Promise<number | StartedVerification> {
    let before = replaced;
    for (let round = 1; round <= ROUNDS; round++) {
      const codeOf = (id: number): NewCode => this.sends.newCode(id, request);
      const wanted = { accountId: account.id, request, createdBy: createdBy(account), codeOf };
      const id = await inTransaction(this.dataSource, (tx) => this.store.create(tx, wanted, before));
      if (id !== null) return id;
      const held = await this.heldBy(account, request);
      if (held && 'isOpen' in held) return held;
      before = held?.before ?? null;
    }
    throw verificationErrors.locked(1);
  }

  private async begun(account: Account, id: number): Promise<Verification> {
    const made = await this.store.find(account.id, id);
    if (!made) throw verificationErrors.notFound();
    try {
      await this.stepper.send(account, made);
    } catch (error) {
      await this.stepper.whenRefused(error, () => this.store.discard(id));
      throw error;
    }
    return (await this.store.find(account.id, id)) ?? made;
  }
}

/** Compares codes. */
@Injectable()
export class VerificationChecks {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: VerificationStore,
    private readonly sends: VerificationSends,
    private readonly events: VerificationEvents,
    private readonly conversions: Conversions,
  ) {}

  /** @param whenApproved in the transaction of the approval @throws AppError conflict: it was approved or cancelled before */
  async check(
    found: Verification,
    code: string,
    whenApproved?: (tx: EntityManager) => Promise<void>,
  ): Promise<CheckedCode> {
    const { id, accountId, to, wanted } = found;
    const isRight = this.sends.isCode(found, code);
    if (found.status === 'pending' && (await this.settle(found, isRight, whenApproved)) && isRight) {
      if (!wanted.isTest && found.channels[0] !== 'email') await this.conversions.succeeded(accountId, to);
      return { id, status: 'approved', attemptsLeft: 0 };
    }
    const { status, tries } = (await this.store.find(accountId, id)) ?? found;
    if (status === 'approved' || status === 'cancelled') throw verificationErrors.ended(status);
    return { id, status, attemptsLeft: status === 'pending' ? MOST_TRIES - tries : 0 };
  }

  /** @returns whether the code was counted */
  private settle(
    found: Verification,
    isRight: boolean,
    whenApproved?: (tx: EntityManager) => Promise<void>,
  ): Promise<boolean> {
    return inTransaction(this.dataSource, async (tx) => {
      if (isRight) {
        const isApproved = await this.store.approve(tx, found);
        if (!isApproved) return false;
        await this.events.publish(tx, found, 'approved');
        await whenApproved?.(tx);
        return true;
      }
      const { counted, isLast } = await this.store.miss(tx, found.id);
      if (isLast) await this.events.publish(tx, found, 'failed');
      return counted;
    });
  }
}
