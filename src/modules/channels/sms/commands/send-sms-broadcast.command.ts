import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { IdempotentRequest } from '../../../idempotency/index.js';
import {
  type AcceptedBroadcast,
  BroadcastSubmission,
  type BroadcastSender,
  type BroadcastTerms,
} from '../../broadcasts/index.js';
import { fingerprintOf, type SmsBroadcast } from '../sms-broadcast.js';
import { SMS_BALANCE, SMS_ID_PREFIX } from '../sms.offer.js';

/**
 * Accepts an SMS broadcast that passed the error table: routed, charged to `gsm_credits`, stored and handed to the
 * engine in one transaction.
 * @throws AppError `unavailable` without a usable route (before the debit), `invalid` when the credits do not suffice,
 * `conflict` when a caller-supplied id belongs to another request
 */
export class SendSmsBroadcastCommand extends Command<AcceptedBroadcast> {
  constructor(
    readonly sender: BroadcastSender,
    readonly broadcast: SmsBroadcast,
    readonly idempotent: IdempotentRequest | null = null,
  ) {
    super();
  }
}

/** What an SMS broadcast costs and carries; the desk does the rest. */
@CommandHandler(SendSmsBroadcastCommand)
export class SendSmsBroadcastHandler implements ICommandHandler<SendSmsBroadcastCommand> {
  constructor(private readonly desk: BroadcastSubmission) {}

  async execute({ sender, broadcast, idempotent }: SendSmsBroadcastCommand): Promise<AcceptedBroadcast> {
    const { givenId, unitCredits, message } = broadcast;
    const terms: BroadcastTerms = {
      channel: 'sms',
      idPrefix: SMS_ID_PREFIX,
      balance: SMS_BALANCE,
      unitCredits,
      content: { message },
      ...(givenId !== null && { given: { id: givenId, fingerprint: fingerprintOf(sender.accountId, broadcast) } }),
    };
    return this.desk.accept(sender, broadcast, terms, idempotent);
  }
}
