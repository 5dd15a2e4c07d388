import { Body, Controller, HttpStatus, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  AlsoTakes,
  ApiErrors,
  ExactAnswer,
  scheduleWarnings,
  type Warn,
  Warnings,
} from '../../../platform/http/index.js';
import { MESSAGE_TYPES } from '../domain/session-rows.js';
import { type Actor, Authenticated, CurrentActor, PathUsername } from '../../accounts/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../../idempotency/index.js';
import { SendTemplateMessageCommand, TemplateSendAnswer } from '../../channels/template-messages/index.js';
import { chatAccountErrors, CONNECTION_ERRORS, providerSilent } from '../../providers/index.js';
import { SendSessionMessageCommand } from '../commands/send-session-message.command.js';
import { isTemplateRequest, readSessionMessage } from '../domain/session-message.js';
import { SESSION_FORM_ERRORS } from '../domain/session-rows.js';
import { RequireChatAccountQuery } from '../queries/require-chat-account.query.js';
import { sessionErrors } from '../session-messages.errors.js';
import { SESSION_ANSWER, SESSION_EXAMPLES, SessionMessageBody } from './session-message.dto.js';

/** Session messages, v6 (reference/session-messages#chat). */
@ApiTags('Chat')
@Controller('v6/api/chat/24')
export class SessionMessagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post(':username/messages')
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
    ...CONNECTION_ERRORS,
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
      return queued;
    }
    const read = readSessionMessage(body);
    if ('fault' in read) {
      // Comes before the body's faults; of a good body it is said after the Idempotency-Key, by the send.
      await this.queries.execute(new RequireChatAccountQuery(id));
      throw read.fault.error();
    }
    const answer = await this.commands.execute(new SendSessionMessageCommand(actor.account, read.message, idempotent));
    response.status(HttpStatus.OK);
    return answer;
  }
}
