import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Account, AuditLog } from '../accounts/index.js';
import { Idempotency, type IdempotentRequest } from '../idempotency/index.js';
import { SenderIds, type SmsOptions } from '../sender-ids/index.js';
import { isAnswerable } from './reception/inbound-message.js';
import { inboundErrors } from './inbound-messages.errors.js';
import { InboundReader } from './inbound-reads.store.js';
import { InboundReception } from './reception/reception.js';
import { Replies } from './replies.js';

export interface QueuedReply {
  request_id: string;
  credits: number;
}

/** Answers an inbound text of the account by an SMS. @throws AppError not_found, conflict, invalid, unavailable */
export class ReplyToInboundMessageCommand extends Command<QueuedReply> {
  constructor(
    readonly account: Account,
    readonly id: number,
    readonly message: string,
    readonly options: Omit<SmsOptions, 'senderId'>,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

@CommandHandler(ReplyToInboundMessageCommand)
export class ReplyToInboundMessageHandler implements ICommandHandler<ReplyToInboundMessageCommand> {
  constructor(
    private readonly reader: InboundReader,
    private readonly replies: Replies,
    private readonly senders: SenderIds,
    private readonly idempotency: Idempotency,
  ) {}

  execute({ account, id, message, options, idempotent }: ReplyToInboundMessageCommand): Promise<QueuedReply> {
    return this.idempotency.once<QueuedReply>(idempotent, async (keeper) => {
      const text = await this.reader.byId(id);
      if (text?.accountId !== account.id) throw inboundErrors.notFound();
      if (!isAnswerable(text.sender)) throw inboundErrors.unanswerable();
      const { content } = await this.senders.termsOf(account.id, { message }, { ...options, senderId: null });
      const answerOf = ({ requestId, chargedCredits }: { requestId: string; chargedCredits: number }): QueuedReply => ({
        request_id: requestId,
        credits: chargedCredits,
      });
      return answerOf(await this.replies.send(text, account, content, undefined, keeper?.of(answerOf)));
    });
  }
}

/** Gives a text of the operator's inbox to an account, with an audit entry. @throws AppError not_found, conflict */
export class AssignInboundMessageCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
    readonly owner: Account,
  ) {
    super();
  }
}

@CommandHandler(AssignInboundMessageCommand)
export class AssignInboundMessageHandler implements ICommandHandler<AssignInboundMessageCommand> {
  constructor(
    private readonly reader: InboundReader,
    private readonly reception: InboundReception,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, id, owner }: AssignInboundMessageCommand): Promise<void> {
    if (!(await this.reader.byId(id))) throw inboundErrors.notFound();
    const details = { username: owner.username };
    const entry = { action: 'inbound_message.assign', subject: String(id), accountId: owner.id, details };
    const isDone = await this.reception.assign(id, owner.id, (tx) => this.audit.record(tx, { actor, ...entry }));
    if (!isDone) throw inboundErrors.assigned();
  }
}
