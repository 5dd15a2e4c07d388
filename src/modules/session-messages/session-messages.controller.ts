import { Body, Controller, Delete, Get, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { isUserId } from '../../kernel/contacts.js';
import { readId } from '../../kernel/ids.js';
import { textOrNull } from '../../kernel/text.js';
import {
  AlsoTakes,
  ApiErrors,
  ExactAnswer,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  scheduleWarnings,
  type Warn,
  Warnings,
} from '../../platform/http/index.js';
import {
  type Actor,
  Authenticated,
  CurrentActor,
  Needs,
  PathUsername,
  TestKeys,
  TestQuery,
  wantsTests,
} from '../accounts/index.js';
import {
  givenRecipients,
  SendTemplateMessageCommand,
  TemplateSendAnswer,
} from '../channels/template-messages/index.js';
import { GUARD_ERRORS } from '../guard/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../idempotency/index.js';
import { assertStrict, oneNumber, numbersInvalid, strictWarnings } from '../numbers/index.js';
import { chatAccountErrors, CONNECTION_ERRORS, providerSilent } from '../providers/index.js';
import { isTemplateRequest, MESSAGE_TYPES, readSessionMessage, SESSION_FORM_ERRORS } from './session-message.js';
import { CancelSessionMessageCommand, SendSessionMessageCommand } from './session-messages.commands.js';
import {
  CancelledSessionMessageAnswer,
  SESSION_ANSWER,
  SESSION_EXAMPLES,
  SessionMessageAnswer,
  SessionMessageBody,
  type SessionMessageData,
  SessionMessagePageAnswer,
} from './session-messages.dto.js';
import { sessionErrors } from './session-messages.errors.js';
import {
  FindSessionMessageQuery,
  ListSessionMessagesQuery,
  RequireChatAccountQuery,
} from './session-messages.queries.js';

/** Session messages, v6 (reference/session-messages#chat). */
@ApiTags('Chat')
@TestKeys()
@Controller('v6/api/chat/24')
export class SessionMessagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post(':username/messages')
  @Needs('send:chat')
  @Authenticated({ cookie: true, failureStatus: 400 })
  @PathUsername()
  @ExactAnswer()
  @AlsoTakes('type', ...MESSAGE_TYPES)
  @Idempotent()
  @ApiOperation({
    summary: 'Send a session message',
    description:
      'Free, one recipient, sent at once over the official chat connection of the account. The answer is the ' +
      "provider's own. A message of type `template` goes the way of chatTemplate instead and is answered 201.",
  })
  @ApiParam({ name: 'username', example: 'demo', description: 'Must be the username of the token.' })
  @ApiBody({ type: SessionMessageBody, examples: SESSION_EXAMPLES })
  @ApiOkResponse({ description: 'What the provider answered.', schema: SESSION_ANSWER })
  @ApiCreatedResponse({
    description: 'A template message was queued: the answer of chatTemplate.',
    type: TemplateSendAnswer,
  })
  @ApiErrors(
    chatAccountErrors.notFound,
    ...SESSION_FORM_ERRORS,
    numbersInvalid,
    ...CONNECTION_ERRORS,
    ...GUARD_ERRORS,
    sessionErrors.refused,
    providerSilent,
  )
  async send(
    @Body() body: Record<string, unknown>,
    @CurrentActor() actor: Actor,
    @IdempotencyKey('session_message') idempotent: IdempotentRequest | null,
    @Res({ passthrough: true }) response: Response,
    @Warnings() warn: Warn,
  ): Promise<unknown> {
    const { id } = actor.account;
    if (isTemplateRequest(body)) {
      const queued = await this.commands.execute(new SendTemplateMessageCommand(actor, body, idempotent, true));
      response.status(HttpStatus.CREATED);
      warn(...scheduleWarnings(body['schedule_time'], actor.account.timeZone));
      warn(...(await strictWarnings(actor.account, givenRecipients(body))));
      return queued;
    }
    const read = readSessionMessage(body);
    if ('fault' in read) {
      // A missing chat account comes before faults of the body; for a valid body the send checks it, after the Idempotency-Key.
      await this.queries.execute(new RequireChatAccountQuery(id));
      throw read.fault.error();
    }
    const { to } = read.message;
    const given = oneNumber('to', body['to'], isUserId(to) ? null : to);
    await assertStrict(actor.account, given);
    const answer = await this.commands.execute(new SendSessionMessageCommand(actor.account, read.message, idempotent));
    response.status(HttpStatus.OK);
    warn(...(await strictWarnings(actor.account, given)));
    return answer;
  }
}

const MESSAGES = { name: 'session-messages', positions: 'ids' } as const;

/** An account's session messages, and the cancellation of scheduled ones. */
@ApiTags('Chat')
@Authenticated()
@TestKeys()
@Controller('v6/api/session-messages')
export class OwnSessionMessagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Own session messages of v5 and v6, the newest first' })
  @ApiQuery({ name: 'status', required: false, example: 'PENDING', description: 'Another word matches none' })
  @ApiQuery({
    name: 'scheduled',
    required: false,
    enum: ['true', 'false'],
    description: 'Those with a schedule_time, or those without; anything else: both',
  })
  @TestQuery()
  @ListQuery()
  @ApiOkResponse({ type: SessionMessagePageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<SessionMessageData>> {
    const page = readListPage(MESSAGES, query);
    const wanted = query['scheduled'];
    const scheduled = wanted === 'true' ? true : wanted === 'false' ? false : null;
    const filter = { status: textOrNull(query['status']), scheduled, isTest: wantsTests(query, account) };
    const list = new ListSessionMessagesQuery(account, filter, page);
    return paged(MESSAGES, page, await this.queries.execute(list));
  }

  @Get(':id')
  @ApiParam({ name: 'id', type: Number, example: 374100212563968 })
  @ApiOperation({ summary: 'One session message; staff see those of all accounts' })
  @ApiOkResponse({ type: SessionMessageAnswer })
  @ApiErrors(sessionErrors.notFound)
  async show(@Param('id') text: string, @CurrentActor() actor: Actor): Promise<SessionMessageAnswer> {
    const id = readId(text);
    if (id === null) throw sessionErrors.notFound();
    return { success: true, data: await this.queries.execute(new FindSessionMessageQuery(actor, id)) };
  }

  @Delete(':id')
  @Needs('send:chat')
  @ApiParam({ name: 'id', type: Number, example: 374100212563968, description: '`messages[0].id` of its answer' })
  @ApiOperation({ summary: 'Cancel a scheduled session message that has not been sent yet' })
  @ApiOkResponse({ type: CancelledSessionMessageAnswer })
  @ApiErrors(sessionErrors.notFound, sessionErrors.already)
  async cancel(@Param('id') text: string, @CurrentActor() { account }: Actor): Promise<CancelledSessionMessageAnswer> {
    const id = readId(text);
    if (id === null) throw sessionErrors.notFound();
    await this.commands.execute(new CancelSessionMessageCommand(account, id));
    return { success: true, message: 'Message cancelled successfully' };
  }
}
