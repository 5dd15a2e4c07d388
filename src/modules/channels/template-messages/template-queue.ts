import { Injectable, Logger } from '@nestjs/common';
import { AppError, type DefinedError } from '../../../kernel/errors.js';
import { cutCodePoints } from '../../../kernel/text.js';
import { safeError } from '../../../platform/observability/index.js';
import { type Account, senderOf } from '../../accounts/index.js';
import { type AcceptedCampaign, type Channel, type Submission, Submissions } from '../../engine/index.js';
import { Idempotency, type IdempotentRequest, type OutcomeKeeper } from '../../idempotency/index.js';
import { assertStrict } from '../../numbers/index.js';
import type { Template, TemplateCategory } from '../../templates/index.js';
import { SendableTemplates, type TemplateChannelName, payloadOf, templatePrice } from './sendable-templates.js';
import { templateRequestErrors } from './template-messages.errors.js';
import {
  givenRecipients,
  type RecipientsReader,
  readTemplateRequest,
  type TemplateRequest,
} from './template-request.js';
import { onlyRoute } from '../../routing/index.js';

export interface TemplateSendKind {
  channel: Channel<TemplateChannelName>;
  readRecipients: RecipientsReader;
  notQueued: DefinedError;
  /** reports a missing chat account before faults of the body and the template */
  accountFirst: boolean;
}

/** The answer to a queued template send (reference/template-messages#answers). */
export interface QueuedTemplateSend {
  success: true;
  message: string;
  request_id: string;
  username: string;
  template_name: string;
  category: TemplateCategory;
  /** absent when `to` was a single text */
  contacts?: number;
}

interface QueuedAs<Answer> {
  channel: Channel<TemplateChannelName>;
  answerOf: (accepted: AcceptedCampaign, template: Template) => Answer;
  tags?: Submission['tags'];
  secret?: string;
}

/** A campaign's name is shorter than a template's may be (reference/templates#createtemplatesphp). */
const NAME_LENGTH = 100;

/** Makes a campaign of a template request. */
@Injectable()
export class TemplateQueue {
  private readonly logger = new Logger(TemplateQueue.name);

  constructor(
    private readonly sendable: SendableTemplates,
    private readonly submissions: Submissions,
    private readonly idempotency: Idempotency,
  ) {}

  /** @throws AppError rows of reference/template-messages#errors, schedule, chat account, credits; `notQueued`: our faults */
  async send(
    account: Account,
    body: unknown,
    kind: TemplateSendKind,
    idempotent: IdempotentRequest | null,
  ): Promise<QueuedTemplateSend> {
    const read = readTemplateRequest(body, kind.readRecipients);
    if ('fault' in read) {
      if (kind.accountFirst) await this.sendable.assertConnected(account.id, kind.channel.name);
      throw templateRequestErrors[read.fault]();
    }
    const { request } = read;
    await assertStrict(account, givenRecipients(body));
    try {
      return await this.idempotency.once<QueuedTemplateSend>(idempotent, (keeper) =>
        this.accept(account, request, kind, keeper),
      );
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.logger.error({ err: safeError(error), channel: kind.channel.name }, 'a template send was not queued');
      throw kind.notQueued();
    }
  }

  private async accept(
    account: Account,
    request: TemplateRequest,
    kind: TemplateSendKind,
    keeper: OutcomeKeeper<QueuedTemplateSend> | null,
  ): Promise<QueuedTemplateSend> {
    if (kind.accountFirst) await this.sendable.assertConnected(account.id, kind.channel.name);
    const queued = ({ requestId, totalRows }: AcceptedCampaign, template: Template): QueuedTemplateSend => ({
      success: true,
      message: `Template ${request.single ? 'message' : 'campaign'} queued successfully`,
      request_id: requestId,
      username: account.username,
      template_name: template.name,
      category: template.category,
      ...(!request.single && { contacts: totalRows }),
    });
    return this.queue(account, request, { channel: kind.channel, answerOf: queued }, keeper);
  }

  /** Charges and stores a send that is read. @throws AppError as `send`, from the template's rows on */
  async queue<Answer>(
    account: Account,
    request: Omit<TemplateRequest, 'single' | 'language'> & { language: TemplateRequest['language'] | null },
    { channel, answerOf, tags, secret }: QueuedAs<Answer>,
    keeper: OutcomeKeeper<Answer> | null,
  ): Promise<Answer> {
    const template = await this.sendable.requested(account.id, request);
    const sender = senderOf(account);
    const scheduledAt = this.submissions.momentOf(request.schedule, sender);
    const chat = await this.sendable.connection(account.id, channel.name);
    const submission: Submission = {
      channel,
      sender,
      broadcastName: cutCodePoints(template.name, NAME_LENGTH),
      service: chat.connection,
      recipients: request.receivers,
      content: payloadOf(template, request),
      price: templatePrice(template),
      ...(tags && { tags }),
      ...(secret !== undefined && { secret }),
    };
    const answer = (accepted: AcceptedCampaign): Answer => answerOf(accepted, template);
    const departure = { scheduledAt, late: request.late, routes: onlyRoute(chat.id) };
    return answer(await this.submissions.accept(submission, departure, undefined, keeper?.of(answer)));
  }
}
