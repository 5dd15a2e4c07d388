import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiBody, ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { objectOrEmpty } from '../../../kernel/json-values.js';
import {
  ApiErrors,
  contactWarnings,
  ExactAnswer,
  scheduleWarnings,
  type Warn,
  Warnings,
} from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs, PathUsername, TestKeys } from '../../accounts/index.js';
import { creditErrors } from '../../credits/index.js';
import { acceptanceErrors } from '../../engine/index.js';
import { GUARD_ERRORS } from '../../guard/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../../idempotency/index.js';
import { numbersInvalid, strictWarnings } from '../../numbers/index.js';
import { chatAccountErrors, CONNECTION_ERRORS } from '../../providers/index.js';
import { templateSendErrors } from '../../templates/index.js';
import { SendBrandedCampaignCommand, SendTemplateMessageCommand } from './template-messages.commands.js';
import {
  BRANDED_EXAMPLES,
  BrandedCampaignAnswer,
  BrandedCampaignBody,
  TEMPLATE_EXAMPLES,
  TemplateMessageBody,
  TemplateSendAnswer,
} from './template-messages.dto.js';
import { templateMessageErrors, templateRequestErrors } from './template-messages.errors.js';
import { givenRecipients, readTemplateRecipient } from './template-request.js';

const request = templateRequestErrors;

const RECIPIENTS = {
  field: 'to',
  read: readTemplateRecipient,
  wanted: 'a number has 8 to 20 digits',
  duplicates: 'charged',
} as const;

const TEMPLATE_ERRORS = [
  request.type,
  request.template,
  request.name,
  request.language,
  request.components,
  request.componentsTooLarge,
];

const SENDING_ERRORS = [
  ...Object.values(templateSendErrors),
  acceptanceErrors.scheduleTime,
  acceptanceErrors.schedulePast,
  acceptanceErrors.late,
  acceptanceErrors.lateAfter,
  acceptanceErrors.lateAlone,
  chatAccountErrors.notFound,
  ...CONNECTION_ERRORS,
  ...GUARD_ERRORS,
  creditErrors.insufficient.because("the category's balance is lower than the recipients"),
];

/** Sends of approved templates (reference/template-messages#fields). */
@ApiTags('Template messages')
@ApiParam({ name: 'username', example: 'demo', description: 'Must be the username of the token.' })
@ExactAnswer()
@Needs('send:chat')
@TestKeys()
@Controller('v6/api')
export class TemplateMessagesController {
  constructor(private readonly commands: CommandBus) {}

  @Post('chatTemplate/24/:username/messages')
  @HttpCode(201)
  @Idempotent()
  @Authenticated({ cookie: true, failureStatus: 400 })
  @PathUsername()
  @ApiOperation({
    summary: 'Send a template message or campaign',
    description: "One credit of the template's category a recipient; duplicates are kept.",
  })
  @ApiBody({ type: TemplateMessageBody, examples: TEMPLATE_EXAMPLES })
  @ApiCreatedResponse({ description: 'Charged and queued.', type: TemplateSendAnswer })
  @ApiErrors(
    request.product,
    request.toRequired,
    request.tooMany,
    ...TEMPLATE_ERRORS,
    request.recipientInvalid,
    request.recipientLength,
    numbersInvalid,
    ...SENDING_ERRORS,
    templateMessageErrors.messageNotQueued,
  )
  async send(
    @Body() body: unknown,
    @CurrentActor() actor: Actor,
    @IdempotencyKey('template_message') idempotent: IdempotentRequest | null,
    @Warnings() warn: Warn,
  ): Promise<TemplateSendAnswer> {
    const sent = await this.commands.execute(new SendTemplateMessageCommand(actor, body, idempotent));
    warn(...scheduleWarnings(objectOrEmpty(body)['schedule_time'], actor.account.timeZone));
    warn(...(await strictWarnings(actor.account, givenRecipients(body))));
    return sent;
  }

  @Post('chatBranded/24/:username/messages')
  @HttpCode(202)
  @Idempotent()
  @Authenticated()
  @PathUsername()
  @ApiOperation({
    summary: 'Send a branded template campaign',
    description:
      "Over the branded connection, else the official one. One credit of the template's category a recipient.",
  })
  @ApiBody({ type: BrandedCampaignBody, examples: BRANDED_EXAMPLES })
  @ApiAcceptedResponse({ description: 'Charged and queued.', type: BrandedCampaignAnswer })
  @ApiErrors(
    request.product,
    request.toOfCampaign,
    request.noneValid,
    numbersInvalid,
    ...TEMPLATE_ERRORS,
    ...SENDING_ERRORS,
    templateMessageErrors.campaignNotQueued,
  )
  async sendBranded(
    @Body() body: unknown,
    @CurrentActor() actor: Actor,
    @IdempotencyKey('branded_campaign') idempotent: IdempotentRequest | null,
    @Warnings() warn: Warn,
  ): Promise<TemplateSendAnswer> {
    const sent = await this.commands.execute(new SendBrandedCampaignCommand(actor, body, idempotent));
    warn(...contactWarnings(objectOrEmpty(body)['to'], RECIPIENTS));
    warn(...scheduleWarnings(objectOrEmpty(body)['schedule_time'], actor.account.timeZone));
    warn(...(await strictWarnings(actor.account, givenRecipients(body))));
    return sent;
  }
}
