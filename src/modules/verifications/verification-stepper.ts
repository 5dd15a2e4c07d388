import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { AppError } from '../../kernel/errors.js';
import { readMaker } from '../../kernel/maker.js';
import { inTransaction } from '../../platform/database/index.js';
import { safeError } from '../../platform/observability/index.js';
import { LeaderGate, SharedTask } from '../../platform/periodic/index.js';
import { type Account, AccountDirectory } from '../accounts/index.js';
import { Conversions } from '../guard/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import { VerificationLimits } from './verification-limits.js';
import { verificationName } from './verification-request.js';
import { VerificationSends } from './verification-sends.js';
import { verificationErrors } from './verifications.errors.js';
import { type Verification, VerificationStore } from './verifications.store.js';

/** Publishes the end of a verification to the customer's endpoints, without its code. */
@Injectable()
export class VerificationEvents {
  constructor(private readonly events: CustomerEvents) {}

  /** @param outcome `failed`: five wrong codes */
  async publish(
    tx: EntityManager,
    { id, accountId, to, channels, position, wanted }: Verification,
    outcome: 'approved' | 'failed' | 'expired',
  ): Promise<void> {
    if (channels[0] === 'email') return;
    const type = `verification.${outcome}`;
    const body = {
      event: type,
      id: verificationName(id),
      to,
      channel: channels[position] ?? channels[0],
      ref: wanted.ref,
      at: now().toISOString(),
      ...(wanted.isTest && { test: true }),
    };
    await this.events.publish(tx, [{ accountId, type, body }]);
  }
}

/** Moves verifications from one channel to the next. */
@Injectable()
export class VerificationStepper {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: VerificationStore,
    private readonly sends: VerificationSends,
    private readonly limits: VerificationLimits,
    private readonly conversions: Conversions,
  ) {}

  /** Sends the code over the present channel. @throws AppError as POST /v6/api/messages */
  async send(account: Account, verification: Verification): Promise<void> {
    const message = await this.sends.send(account, verification);
    await inTransaction(this.dataSource, (tx) => this.store.sent(tx, verification, message));
    const { accountId, to, channels, position, wanted } = verification;
    const channel = channels[position] ?? 'sms';
    if (!wanted.isTest && channel !== 'email') await this.conversions.started(accountId, to, channel);
  }

  /** Takes the next channel and sends over it. @throws AppError conflict without one; too_many; as POST /v6/api/messages */
  async next(account: Account, found: Verification): Promise<void> {
    const { id, position, channels, to, wanted } = found;
    if (position + 1 >= channels.length) throw verificationErrors.noChannel();
    await this.limits.count(account.id, { to, ...wanted });
    if (!(await this.store.advance(id, position))) return; // another process has
    try {
      await this.send(account, { ...found, position: position + 1 });
    } catch (error) {
      await this.whenRefused(error, () => this.store.goBack(id, position));
      throw error;
    }
  }

  /** Undoes a step only if nothing can have left. */
  async whenRefused(error: unknown, undo: () => Promise<void>): Promise<void> {
    if (error instanceof AppError) await undo();
  }
}

const EVERY_MS = 3_000;

/** Leader task: falls back to the next channel, and notes what has expired. One statement every three seconds where nothing is due. */
@Injectable()
export class VerificationRounds implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(VerificationRounds.name);
  private readonly task: SharedTask;

  constructor(
    gate: LeaderGate,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: VerificationStore,
    private readonly stepper: VerificationStepper,
    private readonly events: VerificationEvents,
    private readonly accounts: AccountDirectory,
  ) {
    this.task = new SharedTask(gate, {
      name: 'verifications',
      everyMs: EVERY_MS,
      work: () => this.round(),
      onFault: (error) => this.warn(error),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** Handles what is due now. */
  async round(): Promise<void> {
    const due = await this.store.due();
    const waiting: number[] = [];
    for (const { verification, isNext } of due) {
      // one that fails does not keep the others waiting
      const isDone = await this.step(verification, isNext).catch((error: unknown) => this.warn(error));
      if (isDone !== true) waiting.push(verification.id);
    }
    await this.store.lookLater(waiting);
  }

  /** @returns whether nothing is left to look at soon */
  private async step(verification: Verification, isNext: boolean): Promise<boolean> {
    if (verification.status === 'pending') return isNext && this.fallBack(verification);
    await this.expire(verification);
    return true;
  }

  private warn(error: unknown): void {
    this.logger.warn({ err: safeError(error) }, 'verifications wait, trying again');
  }

  private async expire(verification: Verification): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      if (await this.store.expire(tx, verification.id)) await this.events.publish(tx, verification, 'expired');
    });
  }

  /** @returns whether a message was sent. A refused channel is passed over. */
  private async fallBack(verification: Verification): Promise<boolean> {
    const { id, accountId, createdBy, position, channels } = verification;
    if (position + 1 >= channels.length) return false;
    const account = await this.accounts.byId(accountId);
    const isMakerThere = await this.store.isMakerThere(accountId, readMaker(createdBy));
    if (!account || !this.accounts.usable(account) || !isMakerThere) return false;
    try {
      await this.stepper.next(account, verification);
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.logger.log({ verification: id, reason: error.code }, 'a channel of a verification was refused');
      return (await this.store.advance(id, position)) && this.fallBack({ ...verification, position: position + 1 });
    }
  }
}
