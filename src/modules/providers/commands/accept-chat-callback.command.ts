import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Counter } from 'prom-client';
import { now } from '../../../kernel/clock.js';
import type { RawBody } from '../../../platform/http/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import { constantTimeEqual } from '../../../platform/security/index.js';
import { readAccountId } from '../chat-account.js';
import { readCallback, signatureOf } from '../drivers/meta-cloud/callbacks.js';
import { phoneNumberIdOf } from '../drivers/meta-cloud/config.js';
import { takenSecrets } from '../former-secret.js';
import { ChatAccounts } from '../persistence/chat-accounts.js';
import { ChatInbox } from '../persistence/chat-inbox.js';
import { ReceiptSink } from '../ports/message-driver.js';
import { TemplateStatusSink } from '../ports/template-status-sink.js';
import { wrongCallback } from '../providers.errors.js';

/** How much of a callback counted. */
export interface ChatCallbackTaken {
  receipts: number;
  /** what contacts wrote, and what they set about campaigns */
  messages: number;
  templates: number;
  /** what belongs to another number or business account, cannot be read, or names no sender */
  dropped: number;
}

/**
 * Takes a signed callback of the chat upstream; resolves when all of it is committed. May be repeated.
 * @throws AppError `forbidden` for an unknown account, one without app secret, or a wrong signature; malformed_json for a
 * signed body that is none; nothing happens then
 */
export class AcceptChatCallbackCommand extends Command<ChatCallbackTaken> {
  constructor(
    /** last segment of the path */
    readonly accountId: string,
    /** `X-Hub-Signature-256` */
    readonly signature: string | undefined,
    /** parsed once its signature is verified */
    readonly body: RawBody,
  ) {
    super();
  }
}

@CommandHandler(AcceptChatCallbackCommand)
export class AcceptChatCallbackHandler implements ICommandHandler<AcceptChatCallbackCommand> {
  private readonly dropped: Counter<'reason'>;

  constructor(
    private readonly accounts: ChatAccounts,
    private readonly inbox: ChatInbox,
    private readonly receipts: ReceiptSink,
    private readonly templates: TemplateStatusSink,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter(
      'switchboard_inbound_dropped_total',
      'Parts of verified chat callbacks that did not count, by reason',
      ['reason'],
    );
  }

  async execute({ accountId, signature, body }: AcceptChatCallbackCommand): Promise<ChatCallbackTaken> {
    const { bytes } = body;
    const id = readAccountId(accountId);
    const account = id === null ? null : await this.accounts.byId(id);
    // Without a secret the same work is done, so that accounts cannot be told by their time.
    const secrets = account ? takenSecrets(account.appSecret, account.formerAppSecret) : [];
    const isSigned = (secrets.length > 0 ? secrets : ['no such account'])
      .map((secret) => constantTimeEqual(signature ?? '', signatureOf(bytes ?? Buffer.alloc(0), secret)))
      .includes(true);
    if (!account || secrets.length === 0 || bytes === undefined || !isSigned) {
      throw wrongCallback();
    }
    const receivedAt = now();
    const owner = { phoneNumberId: phoneNumberIdOf(account), wabaId: account.wabaId };
    const read = readCallback(owner, await body.value(), receivedAt);
    const { receipts, messages, consents, templates, dropped } = read;
    for (const reason of dropped) this.dropped.inc({ reason });
    await this.inbox.take(account, messages, receivedAt, read);
    if (receipts.length > 0) await this.receipts.accept(account.id, receipts);
    if (templates.length > 0) await this.templates.accept(account, templates);
    return {
      receipts: receipts.length,
      messages: messages.length + consents.length,
      templates: templates.length,
      dropped: dropped.length,
    };
  }
}
