import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AcceptedBroadcast, BroadcastDesk, type BroadcastTerms } from '../../broadcasts/index.js';
import { SMS_BALANCE, SMS_ID_PREFIX } from '../sms.offer.js';
import { fingerprintOf } from '../sms-broadcast.js';
import { SendSmsBroadcastCommand } from './send-sms-broadcast.command.js';

/** What an SMS broadcast costs and carries; the desk does the rest. */
@CommandHandler(SendSmsBroadcastCommand)
export class SendSmsBroadcastHandler implements ICommandHandler<SendSmsBroadcastCommand> {
  constructor(private readonly desk: BroadcastDesk) {}

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
