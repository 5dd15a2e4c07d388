import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import { now } from '../../kernel/clock.js';
import { fieldErrors } from '../../kernel/errors.js';
import { readText } from '../../kernel/text.js';
import {
  AlsoTakes,
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  scheduleWarnings,
  type Warn,
  Warnings,
} from '../../platform/http/index.js';
import { RateLimited, tooMany } from '../../platform/security/index.js';
import {
  type Account,
  type Actor,
  Authenticated,
  CurrentActor,
  Needs,
  TestKeys,
  isTesting,
  TestQuery,
  wantsTests,
} from '../accounts/index.js';
import { UsedRoutes } from '../channels/broadcasts/index.js';
import { smsErrors } from '../channels/sms/index.js';
import { templateRequestErrors } from '../channels/template-messages/index.js';
import { RANGE_ERRORS, readNumbers, readRangeEnd } from '../campaigns/index.js';
import { creditErrors } from '../credits/index.js';
import { acceptanceErrors } from '../engine/index.js';
import { GUARD_ERRORS } from '../guard/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../idempotency/index.js';
import { chatAccountErrors, CONNECTION_ERRORS, providerSilent } from '../providers/index.js';
import { SESSION_FORM_ERRORS, sessionErrors } from '../session-messages/index.js';
import { templateSendErrors } from '../templates/index.js';
import { CONTENT_TYPES, readMessage } from './message-request.js';
import { SendMessageCommand } from './messages.commands.js';
import {
  AcceptedMessageAnswer,
  MESSAGE_EXAMPLES,
  MessageAnswer,
  MessageBody,
  type MessageData,
  MessagePageAnswer,
} from './messages.dto.js';
import { DIRECTIONS, type Direction, messageErrors } from './messages.errors.js';
import { FindMessageQuery, ListMessagesQuery } from './messages.queries.js';
import type { MessageFilter } from './listed-message.js';

const MESSAGES = { name: 'messages', positions: 'texts' } as const;
/** Rows of the session's table that a message cannot meet: `channel` and `to` are read before. */
const READ_BEFORE = ['messaging_product', 'to_required', 'recipient_invalid', 'recipient_length', 'recipient_user_id'];
const EARLIEST = new Date(0);

/** One message at a time, over any channel (reference/messages#send). */
@ApiTags('Messages')
@Authenticated()
@TestKeys()
@Controller('v6/api/messages')
export class MessagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly usedRoutes: UsedRoutes,
  ) {}

  @Post()
  @HttpCode(202)
  @RateLimited('message')
  @Needs('send:sms', 'send:chat')
  @Idempotent()
  @AlsoTakes('text', 'template', 'content')
  @ApiOperation({
    summary: 'Send one message',
    description:
      'SMS and template messages are queued, a session message leaves at once. MESSAGES_PER_SECOND (50) of an account.',
  })
  @ApiBody({ type: MessageBody, examples: MESSAGE_EXAMPLES })
  @ApiAcceptedResponse({ description: 'Charged and queued, or sent.', type: AcceptedMessageAnswer })
  @ApiErrors(
    messageErrors.channel,
    messageErrors.to,
    messageErrors.foreign,
    fieldErrors.required.shown('text').because('sms'),
    fieldErrors.invalid.shown('text').because('no text; likewise route, content'),
    smsErrors.tooLong,
    smsErrors.dltTemplateId,
    smsErrors.validity,
    templateRequestErrors.template,
    templateRequestErrors.name,
    templateRequestErrors.language,
    templateRequestErrors.components,
    templateRequestErrors.componentsTooLarge,
    messageErrors.oneContent,
    fieldErrors.noWord.shown('content.type', CONTENT_TYPES).because('a template: it is a channel'),
    ...SESSION_FORM_ERRORS.filter(({ code }) => !READ_BEFORE.includes(code)),
    acceptanceErrors.scheduleTime,
    messageErrors.clientRef,
    messageErrors.metadata,
    messageErrors.metadataRounded,
    messageErrors.metadataTooLarge,
    messageErrors.refTaken,
    messageErrors.refRunning,
    smsErrors.notApproved,
    ...Object.values(templateSendErrors),
    acceptanceErrors.schedulePast,
    acceptanceErrors.noRoute,
    acceptanceErrors.tooManyChains,
    smsErrors.dltTemplateRequired,
    smsErrors.dltEntityRequired,
    chatAccountErrors.notFound,
    ...CONNECTION_ERRORS,
    ...GUARD_ERRORS,
    creditErrors.insufficient,
    sessionErrors.ticketExpired,
    sessionErrors.refused,
    providerSilent,
  )
  async send(
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
    @IdempotencyKey('message') idempotent: IdempotentRequest | null,
    @Warnings() warn: Warn,
  ): Promise<AcceptedMessageAnswer> {
    const request = readMessage(body, account);
    const command = new SendMessageCommand(account, request, body, idempotent);
    const { routeId, ...data } = await this.commands.execute(command);
    warn(...request.warnings);
    warn(...scheduleWarnings(request.schedule, account.timeZone));
    if (request.channel === 'sms' && (request.route !== null || request.options.dltTemplateId !== null)) {
      const asked = { field: 'route', hasDlt: request.options.dltTemplateId !== null };
      warn(...(await this.usedRoutes.of(request.route ?? 'default', { routeId }, asked)));
    }
    return { success: true, data: { ...data, test: isTesting(account) } };
  }

  @Get()
  @ApiOperation({
    summary: 'Messages sent and received, the newest first',
    description:
      'Recipients of campaigns, session messages and inbound messages. With `number` one request looks at 2,000,000 recipients at the most, and a page may have fewer entries than `limit`: go on with `next_cursor`. One such search of an account at a time.',
  })
  @ApiQuery({ name: 'direction', required: false, enum: [...DIRECTIONS] })
  @ApiQuery({
    name: 'number',
    required: false,
    example: '+919812345678',
    description: 'Sent to it, or received from it',
  })
  @ApiQuery({ name: 'from', required: false, example: '2026-11-01' })
  @ApiQuery({ name: 'to', required: false, example: '2026-11-30' })
  @TestQuery()
  @ListQuery()
  @ApiOkResponse({ type: MessagePageAnswer })
  @ApiErrors(
    messageErrors.direction,
    fieldErrors.invalid
      .shown('number')
      .because('what the strict reader refuses, except 8 to 30 plain digits; `hint` says why'),
    ...RANGE_ERRORS,
    ...LIST_ERRORS,
    tooMany.because('a search for a number is under way'),
  )
  async list(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<Paged<MessageData>> {
    const filter = readFilter(query, account);
    const page = readListPage(MESSAGES, query);
    return paged(MESSAGES, page, await this.queries.execute(new ListMessagesQuery(account, filter, page)));
  }

  @Get(':id')
  @ApiParam({ name: 'id', example: 'out_374100212563968_1' })
  @ApiOperation({ summary: 'One message' })
  @ApiOkResponse({ type: MessageAnswer })
  @ApiErrors(sessionErrors.notFound)
  async show(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<MessageAnswer> {
    return { success: true, data: await this.queries.execute(new FindMessageQuery(account, id)) };
  }
}

function readFilter(query: Readonly<Record<string, unknown>>, account: Account): MessageFilter {
  const said = readText(query['direction']);
  const direction =
    DIRECTIONS.find((known): known is Direction => said.kind === 'text' && known === said.value) ?? null;
  if (direction === null && said.kind !== 'empty') throw messageErrors.direction('direction', DIRECTIONS);
  const from = readRangeEnd(query, 'from', account.timeZone) ?? EARLIEST;
  const to = readRangeEnd(query, 'to', account.timeZone) ?? now();
  const numbers = readText(query['number']).kind === 'empty' ? null : readNumbers(query['number'], account);
  return { isTest: wantsTests(query, account), direction, numbers, from, to };
}
