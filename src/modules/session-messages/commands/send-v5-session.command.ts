import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isUserId } from '../../../kernel/chat-user-id.js';
import { type Account, createdBy } from '../../accounts/index.js';
import { Idempotency, type IdempotentRequest } from '../../idempotency/index.js';
import { ChatAccounts, ChatWindows, usableAccount, type UsableChatAccount } from '../../providers/index.js';
import { hasNotLeft, type ProviderAnswer, SessionSender } from '../dispatch/session-sender.js';
import type { V5Session } from '../domain/v5-session.js';
import { SessionMessageStore } from '../persistence/session-message-store.js';
import { sessionErrors } from '../session-messages.errors.js';

/** What stands, as JSON text, in the `message` of a v5 answer (reference/session-messages#v5-answer). */
export interface V5Outcome {
  contacts: unknown;
  messages: unknown;
  meta: { api_status: 'stable'; version: string };
}

/**
 * Sends a v5 session message, or stores it until its `schedule_time`. The 24-hour window must be open now, and for a
 * scheduled one again when it leaves.
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

/** The version of the provider's API, which its URL names. */
const VERSION = /\/(v\d+(?:\.\d+)*)\//;

@CommandHandler(SendV5SessionCommand)
export class SendV5SessionHandler implements ICommandHandler<SendV5SessionCommand> {
  constructor(
    private readonly accounts: ChatAccounts,
    private readonly windows: ChatWindows,
    private readonly store: SessionMessageStore,
    private readonly sender: SessionSender,
    private readonly idempotency: Idempotency,
  ) {}

  async execute({ actor, session, idempotent }: SendV5SessionCommand): Promise<V5Outcome> {
    return this.idempotency.onceLeaving(idempotent, () => this.send(actor, session), hasNotLeft);
  }

  private async send(actor: Account, session: V5Session): Promise<V5Outcome> {
    const account = usableAccount(await this.accounts.find(actor.id, 'official'));
    if (!(await this.windows.isOpen(account.id, session.to))) throw sessionErrors.ticketExpired();
    const { contacts, messages } = session.scheduledAt
      ? await this.schedule(account, session, createdBy(actor))
      : await this.sender.send(account, session, createdBy(actor), session.label);
    const version = VERSION.exec(account.url)?.[1] ?? '';
    return { contacts: contacts ?? [], messages: messages ?? [], meta: { api_status: 'stable', version } };
  }

  /** The provider has no id for it yet, so the answer carries ours. */
  private async schedule(account: UsableChatAccount, session: V5Session, maker: string): Promise<ProviderAnswer> {
    const { to, content, label, scheduledAt } = session;
    const { accountId, id: routeId } = account;
    const id = await this.store.add({ to, content, label, accountId, routeId, createdBy: maker, dueAt: scheduledAt });
    const contact = isUserId(to) ? { input: to, user_id: to } : { input: to, wa_id: to };
    return { contacts: [contact], messages: [{ id: String(id) }] };
  }
}
