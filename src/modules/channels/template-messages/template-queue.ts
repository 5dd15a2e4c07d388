import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { now, readSchedule } from '../../../kernel/clock.js';
import { cutCodePoints } from '../../../kernel/text.js';
import { safeError } from '../../../platform/observability/index.js';
import type { Account } from '../../accounts/index.js';
import { type AcceptedCampaign, CampaignAcceptance, type CampaignDraft } from '../../engine/index.js';
import type { BalanceName } from '../../credits/index.js';
import { Idempotency, type IdempotentRequest, type OutcomeKeeper } from '../../idempotency/index.js';
import { readLanguage, type Template, type TemplateCategory } from '../../templates/index.js';
import type { TemplateComponent } from './domain/template-parameters.js';
import { SendableTemplates, type WantedTemplate } from './sendable-templates.js';
import { type TemplateMessageFault, templateMessageError } from './template-messages.errors.js';
import { type RecipientsReader, readTemplateRequest, type TemplateRequest } from './template-request.js';

/** What distinguishes the endpoints of template sends. */
export interface TemplateSendKind {
  channel: 'template' | 'branded';
  readRecipients: RecipientsReader;
  /** @param zone of the account, for dated ids */
  makeRequestId: (zone: string) => string;
  /** the endpoint's text for a fault of ours */
  notQueued: TemplateMessageFault;
  /** whether a missing chat account comes before faults of the body and of the template */
  accountFirst: boolean;
}

/** A template send that the engine has: the body of the answer (reference/template-messages#answers). */
export interface QueuedTemplateSend {
  success: true;
  message: string;
  request_id: string;
  username: string;
  template_name: string;
  category: TemplateCategory;
  /** recipients accepted; absent when one number was given as a text */
  contacts?: number;
}

/** Which balance pays for a category (reference/credits#balances). */
export const TEMPLATE_BALANCES: Readonly<Record<TemplateCategory, BalanceName>> = {
  marketing: 'chat_marketing_credits',
  utility: 'chat_utility_credits',
  auth: 'chat_auth_credits',
};

export const CREDITS_A_RECIPIENT = 1;
/** A campaign's name holds less than a template's (reference/templates#createtemplatesphp). */
const NAME_LENGTH = 100;

/**
 * From a request to a campaign: the rows of the request, the approved template, the chat account, the credits
 * (reference/template-messages#errors).
 */
@Injectable()
export class TemplateQueue {
  private readonly logger = new Logger(TemplateQueue.name);

  constructor(
    private readonly sendable: SendableTemplates,
    private readonly acceptance: CampaignAcceptance,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * @param body the request as it came, of any shape
   * @param idempotent the request, where it has an `Idempotency-Key`
   * @throws AppError the rows of reference/template-messages#errors in their order, then schedule_time, the chat
   * account's rows, and `Insufficient credits. Available: X, Required: Y`; any fault of ours is the kind's `notQueued`
   */
  async send(
    account: Account,
    body: unknown,
    kind: TemplateSendKind,
    idempotent: IdempotentRequest | null,
  ): Promise<QueuedTemplateSend> {
    const read = readTemplateRequest(body, kind.readRecipients);
    if ('fault' in read) {
      if (kind.accountFirst) await this.sendable.assertConnected(account.id, kind.channel);
      throw templateMessageError(read.fault);
    }
    const { request } = read;
    try {
      return await this.idempotency.once<QueuedTemplateSend>(idempotent, (keeper) =>
        this.accept(account, request, kind, keeper),
      );
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.logger.error({ err: safeError(error), channel: kind.channel }, 'a template send was not queued');
      throw templateMessageError(kind.notQueued);
    }
  }

  private async accept(
    account: Account,
    request: TemplateRequest,
    kind: TemplateSendKind,
    keeper: OutcomeKeeper<QueuedTemplateSend> | null,
  ): Promise<QueuedTemplateSend> {
    if (kind.accountFirst) await this.sendable.assertConnected(account.id, kind.channel);
    const template = await this.sendable.approved(account.id, request);
    const scheduledAt = readSchedule(request.schedule, account.timeZone, now());
    if (scheduledAt === undefined) throw templateMessageError('scheduleTime');
    const chat = await this.sendable.connection(account.id, kind.channel);
    const draft: CampaignDraft = {
      accountId: account.id,
      channel: kind.channel,
      requestId: { make: () => kind.makeRequestId(account.timeZone) },
      broadcastName: cutCodePoints(template.name, NAME_LENGTH),
      service: chat.connection,
      routeId: chat.id,
      content: payloadOf(template, request),
      balance: TEMPLATE_BALANCES[template.category],
      unitCredits: CREDITS_A_RECIPIENT,
      receivers: request.receivers,
      initialState: 'accepted',
      ...(scheduledAt && { scheduledAt }),
    };
    const queued = ({ requestId, totalRows }: AcceptedCampaign): QueuedTemplateSend => ({
      success: true,
      message: `Template ${request.single ? 'message' : 'campaign'} queued successfully`,
      request_id: requestId,
      username: account.username,
      template_name: template.name,
      category: template.category,
      ...(!request.single && { contacts: totalRows }),
    });
    return queued(await this.acceptance.accept(draft, keeper?.alongside(queued)));
  }
}

/** The upstream's request without recipient, as campaigns store it. */
interface Payload extends Record<string, unknown> {
  type: 'template';
  template: { name: string; language: { code: string }; components?: TemplateComponent[] };
}

/** The language goes out as it was approved. */
const payloadOf = (template: Template, { components }: TemplateRequest): Payload => ({
  type: 'template',
  template: {
    name: template.name,
    language: { code: template.language.code },
    ...(components.length > 0 && { components }),
  },
});

/** What the request of a stored campaign wanted. @param content made by `payloadOf` */
export function wantedOf(content: Record<string, unknown>): WantedTemplate {
  const { name, language, components = [] } = (content as Payload).template;
  const known = readLanguage(language.code);
  if (!known) throw templateMessageError('languageMismatch');
  return { templateName: name, language: known, components };
}
