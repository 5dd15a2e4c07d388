import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { AccountDirectory, accountErrors } from '../../accounts/index.js';
import { ChatAccounts, ChatWindows, usableAccount, type UsableChatAccount } from '../../providers/index.js';
import { type DueSessionMessage, SessionMessageStore } from '../persistence/session-message-store.js';
import { sessionErrors } from '../session-messages.errors.js';
import { SessionSender } from './session-sender.js';

const ROUND_EVERY_MS = 1_000;
const MOST_AT_ONCE = 50;

/** Once a second: scheduled session messages leave when they are due; and what never got a receipt fails in the end. */
@Injectable()
export class ScheduledSends implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ScheduledSends.name);
  private readonly sending = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly store: SessionMessageStore,
    private readonly sender: SessionSender,
    private readonly owners: AccountDirectory,
    private readonly accounts: ChatAccounts,
    private readonly windows: ChatWindows,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running ??= this.round()
        .catch((error: unknown) => this.logger.warn({ err: safeError(error) }, 'round failed, trying again'))
        .finally(() => {
          this.running = null;
        });
    }, ROUND_EVERY_MS);
  }

  /** Sends under way are settled before the process ends. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
    await Promise.all(this.sending);
  }

  /** Sends run beside the rounds, so that one slow provider does not hold up the next messages. */
  private async round(): Promise<void> {
    const free = MOST_AT_ONCE - this.sending.size;
    if (free > 0) {
      for (const message of await this.store.takeDue(free)) {
        const send: Promise<void> = this.send(message).finally(() => this.sending.delete(send));
        this.sending.add(send);
      }
    }
    await this.store.failOverdue(this.environment.RECEIPT_TIMEOUT);
  }

  /** Never rejects. */
  private async send(message: DueSessionMessage): Promise<void> {
    try {
      const account = await this.accountFor(message);
      if (account instanceof AppError) await this.store.failed(message.id, null, account.message);
      else await this.sender.deliver(message.id, account, message);
    } catch (error) {
      // A refusal is stored already; after silence the outcome stays unknown until its deadline.
      this.logger.warn({ err: safeError(error), sessionMessage: message.id }, 'scheduled message was not sent');
    }
  }

  /** The chat account as it is now, or why the message may not leave any more. */
  private async accountFor({ accountId, routeId, to }: DueSessionMessage): Promise<UsableChatAccount | AppError> {
    const owner = await this.owners.byId(accountId);
    if (!owner || !this.owners.usable(owner)) return accountErrors.inactive();
    try {
      const account = usableAccount(await this.accounts.byId(routeId));
      return (await this.windows.isOpen(routeId, to)) ? account : sessionErrors.ticketExpired();
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
}
