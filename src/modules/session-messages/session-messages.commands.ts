import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isUserId } from '../../kernel/contacts.js';
import { type Account, AuditLog, createdBy, isTesting } from '../accounts/index.js';
import { CHAT_STATUS_LABELS } from '../channels/chat/index.js';
import { RecipientStatus } from '../engine/index.js';
import { Guard } from '../guard/index.js';
import { Idempotency, type IdempotentRequest } from '../idempotency/index.js';
import { ChatAccounts } from '../providers/index.js';
import { ScheduledMessageStore } from './scheduled-messages.store.js';
import type { SessionMessage } from './session-message.js';
import { sessionErrors } from './session-messages.errors.js';
import { hasNotLeft, type ProviderAnswer, sendingAccount, SessionSender, WindowSends } from './session-sender.js';
import type { V5Session } from './v5-session.js';

/**
 * Sends a v6 session message and returns the provider's answer; the provider checks the 24-hour window
 * (reference/session-messages#24-hour-window). @throws AppError 404 and 500 for the connection, 502 for the provider
 */
export class SendSessionMessageCommand extends Command<ProviderAnswer> {
  constructor(
    readonly actor: Account,
    readonly message: SessionMessage,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

@CommandHandler(SendSessionMessageCommand)
export class SendSessionMessageHandler implements ICommandHandler<SendSessionMessageCommand> {
  constructor(
    private readonly accounts: ChatAccounts,
    private readonly sender: SessionSender,
    private readonly guard: Guard,
    private readonly idempotency: Idempotency,
  ) {}

  async execute({ actor, message, idempotent }: SendSessionMessageCommand): Promise<ProviderAnswer> {
    const send = async (): Promise<ProviderAnswer> => {
      const account = sendingAccount(actor, await this.accounts.find(actor.id, 'official'));
      await this.guard.assertOne(actor.id, 'chat', message.to, isTesting(actor));
      return (await this.sender.send(account, message, createdBy(actor))).answer;
    };
    return this.idempotency.onceLeaving(idempotent, send, hasNotLeft);
  }
}

/** The JSON text in `message` of a v5 answer (reference/session-messages#v5-answer). */
export interface V5Outcome {
  contacts: unknown;
  messages: unknown;
  meta: { api_status: 'stable'; version: string };
}

/**
 * Sends a v5 session message, or stores it until `schedule_time`; the 24-hour window must be open now, and when it leaves.
 * @throws AppError 400 `Ticket Expired`; 404, 500 and 502 as the v6 session message
 */
export class SendV5SessionCommand extends Command<V5Outcome> {
  constructor(
    readonly actor: Account,
    readonly session: V5Session,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

const VERSION = /\/(v\d+(?:\.\d+)*)\//;

@CommandHandler(SendV5SessionCommand)
export class SendV5SessionHandler implements ICommandHandler<SendV5SessionCommand> {
  constructor(
    private readonly sends: WindowSends,
    private readonly idempotency: Idempotency,
  ) {}

  async execute({ actor, session, idempotent }: SendV5SessionCommand): Promise<V5Outcome> {
    return this.idempotency.onceLeaving(idempotent, () => this.send(actor, session), hasNotLeft);
  }

  private async send(actor: Account, { to, content, label, scheduledAt }: V5Session): Promise<V5Outcome> {
    const { id, answer, account } = await this.sends.send(actor, { to, content }, scheduledAt, { label });
    const { contacts, messages } = answer ?? scheduledAnswer(id, to);
    const version = VERSION.exec(account.url)?.[1] ?? '';
    return { contacts: contacts ?? [], messages: messages ?? [], meta: { api_status: 'stable', version } };
  }
}

/** The answer carries our id, because the provider has none yet. */
const scheduledAnswer = (id: number, to: string): ProviderAnswer => ({
  contacts: [isUserId(to) ? { input: to, user_id: to } : { input: to, wa_id: to }],
  messages: [{ id: String(id) }],
});

/** Cancels a scheduled message before it is sent. @throws AppError 404 `Message not found`, 409 `Message is already <state>` */
export class CancelSessionMessageCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

/** State of a message that is listed as pending, but may have left. */
const UNDER_WAY = 'sending';

@CommandHandler(CancelSessionMessageCommand)
export class CancelSessionMessageHandler implements ICommandHandler<CancelSessionMessageCommand> {
  constructor(
    private readonly store: ScheduledMessageStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, id }: CancelSessionMessageCommand): Promise<void> {
    const entry = { actor, action: 'session_message.cancel', subject: String(id), details: {} };
    const found = await this.store.cancel(actor, id, (tx) => this.audit.record(tx, entry));
    if (found === null) throw sessionErrors.notFound();
    if (found !== 'done') {
      throw sessionErrors.already(
        found === RecipientStatus.Unknown ? UNDER_WAY : CHAT_STATUS_LABELS[found].toLowerCase(),
      );
    }
  }
}
