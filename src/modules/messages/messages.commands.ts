import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AppError } from '../../kernel/errors.js';
import { messageId } from '../../kernel/ids.js';
import { readText } from '../../kernel/text.js';
import { type Account, assertMaySend, isTesting, senderOf } from '../accounts/index.js';
import { smsChannel } from '../channels/sms/index.js';
import { templateChannel, TemplateQueue } from '../channels/template-messages/index.js';
import { type AcceptedCampaign, Submissions } from '../engine/index.js';
import {
  endpointOf,
  Idempotency,
  idempotencyErrors,
  type IdempotentRequest,
  requestDigest,
} from '../idempotency/index.js';
import { providerSilent } from '../providers/index.js';
import { SenderIds } from '../sender-ids/index.js';
import { hasNotLeft, WindowSends } from '../session-messages/index.js';
import type { MessageRequest } from './message-request.js';
import { messageErrors } from './messages.errors.js';

/** The answer to an accepted message; kept with its `client_ref`. */
export interface AcceptedMessage {
  id: string;
  status: 'queued' | 'scheduled' | 'sent';
  credits: number;
  /** parts over the air; 1 for chat */
  segments: number;
  /** absent for chat */
  routeId?: number;
}

const SERVICE = 'default';
/** Name of its campaign in lists and reports. */
const BROADCAST_NAME = 'message';
const FIRST_SEQ = 1;

/**
 * Accepts a message that is read: charges and stores it in one transaction; a session message leaves at once. Under a `client_ref`
 * of the last 48 hours nothing is sent, and the first answer is given again.
 * @throws AppError forbidden: no right to send over the channel; conflict: `client_ref` of another message; otherwise the errors of the channel's own send
 */
export class SendMessageCommand extends Command<AcceptedMessage> {
  constructor(
    readonly account: Account,
    readonly request: MessageRequest,
    readonly body: unknown,
    /** of the header; without effect beside a `client_ref` */
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

@CommandHandler(SendMessageCommand)
export class SendMessageHandler implements ICommandHandler<SendMessageCommand> {
  constructor(
    private readonly submissions: Submissions,
    private readonly senders: SenderIds,
    private readonly templates: TemplateQueue,
    private readonly sessions: WindowSends,
    private readonly idempotency: Idempotency,
  ) {}

  async execute({ account, request, body, idempotent }: SendMessageCommand): Promise<AcceptedMessage> {
    assertMaySend(account, request.channel === 'sms' ? 'sms' : 'chat');
    const { client_ref: ref } = request.tags;
    if (ref === undefined) return this.send(account, request, idempotent);
    const digest = await requestDigest({}, body);
    try {
      const endpoint = endpointOf('message_ref', isTesting(account));
      return await this.send(account, request, { accountId: account.id, endpoint, key: ref, digest });
    } catch (error) {
      const code = error instanceof AppError ? error.code : null;
      if (code === idempotencyErrors.otherBody.code) throw messageErrors.refTaken();
      throw code === idempotencyErrors.running.code ? messageErrors.refRunning() : error;
    }
  }

  private send(
    account: Account,
    request: MessageRequest,
    idempotent: IdempotentRequest | null,
  ): Promise<AcceptedMessage> {
    if (request.channel === 'sms') return this.sendSms(account, request, idempotent);
    return request.channel === 'template'
      ? this.sendTemplate(account, request, idempotent)
      : this.sendSession(account, request, idempotent);
  }

  private sendSms(
    account: Account,
    request: Extract<MessageRequest, { channel: 'sms' }>,
    idempotent: IdempotentRequest | null,
  ): Promise<AcceptedMessage> {
    const { to, text, route, options, schedule, tags, secret } = request;
    const content = { message: text };
    const submission = {
      channel: smsChannel,
      sender: senderOf(account),
      broadcastName: BROADCAST_NAME,
      service: route ?? SERVICE,
      recipients: [to],
      schedule,
      content,
      tags,
      ...(secret !== undefined && { secret }),
      approve: () => this.senders.termsOf(account.id, content, options),
    };
    const segments = smsChannel.segments?.(content) ?? 1;
    return this.submissions.submit(submission, idempotent, (accepted) => ({
      ...answerOf(accepted, schedule),
      segments,
      routeId: accepted.routeId,
    }));
  }

  private sendTemplate(
    account: Account,
    { to, template, schedule, tags, secret }: Extract<MessageRequest, { channel: 'template' }>,
    idempotent: IdempotentRequest | null,
  ): Promise<AcceptedMessage> {
    const request = { language: null, ...template, receivers: [to], schedule, late: null };
    const queued = {
      channel: templateChannel,
      tags,
      ...(secret !== undefined && { secret }),
      answerOf: (accepted: AcceptedCampaign) => ({ ...answerOf(accepted, schedule), segments: 1 }),
    };
    return this.idempotency.once<AcceptedMessage>(idempotent, (keeper) =>
      this.templates.queue(account, request, queued, keeper),
    );
  }

  private async sendSession(
    account: Account,
    { message, schedule, tags }: Extract<MessageRequest, { channel: 'session' }>,
    idempotent: IdempotentRequest | null,
  ): Promise<AcceptedMessage> {
    const send = async (): Promise<AcceptedMessage | Silence> => {
      const dueAt = this.submissions.momentOf(schedule, account);
      try {
        const { id } = await this.sessions.send(account, message, dueAt, { tags });
        const status = dueAt ? 'scheduled' : 'sent';
        return { id: messageId({ kind: 'ses', id }), status, credits: 0, segments: 1 };
      } catch (error) {
        if (hasNotLeft(error)) throw error;
        return { silent: (error as AppError).help.hint ?? '' };
      }
    };
    const outcome = await this.idempotency.onceLeaving(idempotent, send, hasNotLeft);
    if ('silent' in outcome) throw providerSilent().helping({ hint: outcome.silent });
    return outcome;
  }
}

/** The provider did not answer: the message may have left, and is not sent again under its name. */
interface Silence {
  /** names the message */
  silent: string;
}

const answerOf = (
  { id, chargedCredits }: AcceptedCampaign,
  schedule: unknown,
): Pick<AcceptedMessage, 'id' | 'status' | 'credits'> => ({
  id: messageId({ kind: 'out', campaignId: id, seq: FIRST_SEQ }),
  status: readText(schedule).kind === 'empty' ? 'queued' : 'scheduled',
  credits: chargedCredits,
});
