import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { readMessageId } from '../../kernel/ids.js';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, assertMaySend, AuditLog, isTesting } from '../accounts/index.js';
import { Conversions } from '../guard/index.js';
import { VerificationLimits } from './verification-limits.js';
import { verificationName, type VerificationRequest } from './verification-request.js';
import { VerificationSends } from './verification-sends.js';
import { type StartedVerification, VerificationChecks, VerificationStarts } from './verification-starts.js';
import { MessageReader } from '../messages/index.js';
import { sessionErrors } from '../session-messages/index.js';
import { VerificationStepper } from './verification-stepper.js';
import { type FEEDBACK_OUTCOMES, verificationErrors } from './verifications.errors.js';
import { type CheckedCode, type Verification, VerificationStore } from './verifications.store.js';

/**
 * Sends a code. The number's open verification of the last 30 seconds is answered instead; an older one ends, and its wrong
 * codes count on. Nothing is charged or kept when the message is refused.
 * @throws AppError too_many: limits, or five wrong codes before; forbidden: a channel; otherwise as POST /v6/api/messages
 */
export class StartVerificationCommand extends Command<StartedVerification> {
  constructor(
    readonly account: Account,
    readonly request: VerificationRequest,
  ) {
    super();
  }
}

@CommandHandler(StartVerificationCommand)
export class StartVerificationHandler implements ICommandHandler<StartVerificationCommand> {
  constructor(
    private readonly sends: VerificationSends,
    private readonly limits: VerificationLimits,
    private readonly starts: VerificationStarts,
  ) {}

  async execute({ account, request }: StartVerificationCommand): Promise<StartedVerification> {
    await this.sends.assertAllowed(account, request.channels, request);
    return this.starts.start(account, request, () => this.limits.count(account.id, request));
  }
}

/**
 * Compares a code. Of simultaneous calls with the right code one approves; wrong codes are counted exactly, five at the most.
 * @throws AppError not_found; forbidden: a channel; conflict: it was approved or cancelled before
 */
export class CheckVerificationCommand extends Command<CheckedCode> {
  constructor(
    readonly account: Account,
    readonly id: number,
    readonly code: string,
  ) {
    super();
  }
}

@CommandHandler(CheckVerificationCommand)
export class CheckVerificationHandler implements ICommandHandler<CheckVerificationCommand> {
  constructor(
    private readonly store: VerificationStore,
    private readonly checks: VerificationChecks,
  ) {}

  async execute({ account, id, code }: CheckVerificationCommand): Promise<CheckedCode> {
    const found = await this.store.of(account, id);
    // the code of a test is readable: it approves nothing where a live key asks
    if (found.wanted.isTest && account.apiKey && !isTesting(account)) throw verificationErrors.notFound();
    for (const channel of found.channels) assertMaySend(account, channel);
    return this.checks.check(found, code);
  }
}

/** Sends the code over the next channel now. @throws AppError not_found; conflict: over, or no further channel; as the start */
export class NextChannelCommand extends Command<Verification> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(NextChannelCommand)
export class NextChannelHandler implements ICommandHandler<NextChannelCommand> {
  constructor(
    private readonly store: VerificationStore,
    private readonly stepper: VerificationStepper,
  ) {}

  async execute({ account, id }: NextChannelCommand): Promise<Verification> {
    const found = await this.store.of(account, id);
    for (const channel of found.channels) assertMaySend(account, channel);
    if (found.status !== 'pending') throw verificationErrors.ended(found.status);
    await this.stepper.next(account, found);
    return (await this.store.find(account.id, id)) ?? found;
  }
}

/** Ends a pending verification; its code is dead. @throws AppError not_found; conflict when it is over */
export class CancelVerificationCommand extends Command<void> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(CancelVerificationCommand)
export class CancelVerificationHandler implements ICommandHandler<CancelVerificationCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: VerificationStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ account, id }: CancelVerificationCommand): Promise<void> {
    const found = await this.store.of(account, id);
    for (const channel of found.channels) assertMaySend(account, channel);
    const isCancelled = await inTransaction(this.dataSource, async (tx) => {
      if (!(await this.store.cancel(tx, id))) return false;
      const entry = { action: 'verification.cancel', subject: account.username, details: { id: verificationName(id) } };
      await this.audit.record(tx, { actor: account, ...entry });
      return true;
    });
    if (isCancelled) return;
    const now = (await this.store.find(account.id, id)) ?? found;
    throw verificationErrors.ended(now.status);
  }
}

/**
 * Tells the guard what became of a code that the account made itself. @throws AppError not_found for another account's message
 */
export class GiveFeedbackCommand extends Command<void> {
  constructor(
    readonly account: Account,
    /** a message's id, or digits */
    readonly subject: { messageId: string } | { number: string },
    readonly outcome: (typeof FEEDBACK_OUTCOMES)[number],
  ) {
    super();
  }
}

@CommandHandler(GiveFeedbackCommand)
export class GiveFeedbackHandler implements ICommandHandler<GiveFeedbackCommand> {
  constructor(
    private readonly messages: MessageReader,
    private readonly conversions: Conversions,
  ) {}

  async execute({ account, subject, outcome }: GiveFeedbackCommand): Promise<void> {
    const number = 'number' in subject ? subject.number : await this.receiverOf(account.id, subject.messageId);
    if (number === null) return;
    await this.conversions.started(account.id, number, 'sms');
    if (outcome === 'converted') await this.conversions.succeeded(account.id, number);
  }

  /** @returns null = of a test, which is not counted */
  private async receiverOf(accountId: number, id: string): Promise<string | null> {
    const key = readMessageId(id);
    const message = key && (await this.messages.byKey(accountId, key));
    if (!message?.to || message.direction !== 'outbound') throw sessionErrors.notFound();
    return message.isTest ? null : message.to;
  }
}
