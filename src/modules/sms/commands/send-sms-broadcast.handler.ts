import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AcceptedBroadcast, BroadcastDesk } from '../../broadcasts/index.js';
import { fingerprintOf } from '../sms-broadcast.js';
import { SendSmsBroadcastCommand } from './send-sms-broadcast.command.js';

/** What an SMS broadcast costs and carries; the desk does the rest. */
@CommandHandler(SendSmsBroadcastCommand)
export class SendSmsBroadcastHandler implements ICommandHandler<SendSmsBroadcastCommand> {
  constructor(private readonly desk: BroadcastDesk) {}

  async execute({ sender, broadcast }: SendSmsBroadcastCommand): Promise<AcceptedBroadcast> {
    const { givenId, unitCredits, message } = broadcast;
    return this.desk.accept(sender, broadcast, {
      channel: 'sms',
      idPrefix: 'GSMCAMP',
      balance: 'gsm_credits',
      unitCredits,
      content: { message },
      ...(givenId !== null && { given: { id: givenId, fingerprint: fingerprintOf(sender.accountId, broadcast) } }),
    });
  }
}
