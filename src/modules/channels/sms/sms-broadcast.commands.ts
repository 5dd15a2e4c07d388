import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Submission, Submissions } from '../../engine/index.js';
import type { IdempotentRequest } from '../../idempotency/index.js';
import { SenderIds } from '../../sender-ids/index.js';
import { acceptedBroadcast, type AcceptedBroadcast } from '../broadcasts/index.js';
import { fingerprintOf, type SmsBroadcastRequest } from './sms-broadcast.js';
import { smsChannel } from './sms.channel.js';

/**
 * Accepts a validated SMS broadcast: routes it, charges `gsm_credits` and stores it in one transaction.
 * @throws AppError `unavailable` (no route), `invalid` (sender id, DLT, credits), `conflict` (id of another request)
 */
export class SendSmsBroadcastCommand extends Command<AcceptedBroadcast> {
  constructor(
    readonly sender: Submission['sender'],
    readonly request: SmsBroadcastRequest,
    readonly idempotent: IdempotentRequest | null = null,
  ) {
    super();
  }
}

@CommandHandler(SendSmsBroadcastCommand)
export class SendSmsBroadcastHandler implements ICommandHandler<SendSmsBroadcastCommand> {
  constructor(
    private readonly submissions: Submissions,
    private readonly senders: SenderIds,
  ) {}

  async execute({ sender, request, idempotent }: SendSmsBroadcastCommand): Promise<AcceptedBroadcast> {
    const { broadcastName, service, recipients, schedule, late, givenId, message, options } = request;
    const submission = {
      channel: smsChannel,
      sender,
      broadcastName,
      service,
      recipients,
      schedule,
      late,
      content: { message },
      approve: () => this.senders.termsOf(sender.accountId, { message }, options),
      ...(givenId !== null && { given: { id: givenId, fingerprint: fingerprintOf(sender.accountId, request) } }),
    };
    return this.submissions.submit(submission, idempotent, acceptedBroadcast);
  }
}
