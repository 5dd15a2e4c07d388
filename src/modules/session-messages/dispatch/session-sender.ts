import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { textOrNull } from '../../../kernel/text.js';
import { safeError } from '../../../platform/observability/index.js';
import {
  type GraphAnswer,
  MetaCloudClient,
  providerErrorCode,
  providerErrorText,
  type UsableChatAccount,
} from '../../providers/index.js';
import type { SessionMessage } from '../domain/message-content.js';
import { objectOf } from '../domain/session-rows.js';
import { SessionMessageStore } from '../persistence/session-message-store.js';
import { sessionErrors } from '../session-messages.errors.js';

/** What the provider answered, passed through. */
export type ProviderAnswer = Record<string, unknown>;

/** Sends session messages: stored first, then sent once, then settled by the answer. Never sent again. */
@Injectable()
export class SessionSender {
  private readonly logger = new Logger(SessionSender.name);

  constructor(
    private readonly store: SessionMessageStore,
    private readonly client: MetaCloudClient,
  ) {}

  /**
   * @param label broadcast_name of v5
   * @throws AppError 502 with the provider's text when it refuses, `Provider did not answer` when it is silent
   */
  async send(
    account: UsableChatAccount,
    message: SessionMessage,
    label: string | null = null,
  ): Promise<ProviderAnswer> {
    const id = await this.store.add({
      ...message,
      accountId: account.accountId,
      routeId: account.id,
      label,
      dueAt: null,
    });
    return this.deliver(id, account, message);
  }

  /** Sends a message that is stored as one of unknown outcome; see `send` for the faults. */
  async deliver(id: number, account: UsableChatAccount, { to, content }: SessionMessage): Promise<ProviderAnswer> {
    const answer = await this.client.send(account, { to, payload: content, ref: `session-${id}` });
    const refusal = refusalOf(answer);
    await this.record(id, answer, refusal);
    if (refusal) throw refusal;
    return answer.body;
  }

  /** The client learns what the provider said even when the database is away: told otherwise, he would send again. */
  private async record(id: number, answer: GraphAnswer, refusal: AppError | null): Promise<void> {
    try {
      if (refusal) await this.store.failed(id, providerErrorCode(answer.body), refusal.message);
      else await this.store.submitted(id, messageIdOf(answer.body));
    } catch (error) {
      this.logger.error({ err: safeError(error), sessionMessage: id }, 'The outcome of a send could not be stored');
    }
  }
}

const refusalOf = ({ status, body }: GraphAnswer): AppError | null =>
  status < 300 ? null : sessionErrors.refused(providerErrorText(body));

/** The provider's id of the message; its receipts carry it. */
function messageIdOf(body: ProviderAnswer): string | null {
  const messages: unknown = body['messages'];
  return Array.isArray(messages) ? textOrNull(objectOf(messages[0])?.['id']) : null;
}
