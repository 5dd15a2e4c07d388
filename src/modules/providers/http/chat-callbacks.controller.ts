import { Controller, Get, Header, Headers, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors, Bodies, NO_BODY, NoHead, OwnBody } from '../../../platform/http/index.js';
import { RateLimited } from '../../../platform/security/index.js';
import { Open } from '../../accounts/index.js';
import { AcceptChatCallbackCommand, type ChatCallbackTaken } from '../commands/accept-chat-callback.command.js';
import { VerifyChatCallbackQuery } from '../queries/verify-chat-callback.query.js';
import { wrongCallback } from '../providers.errors.js';

const EXAMPLE = {
  entry: [
    {
      id: '102290129340398',
      changes: [
        {
          field: 'messages',
          value: {
            metadata: { display_phone_number: '4915112345678', phone_number_id: '106540352242922' },
            statuses: [
              { id: 'wamid.ABC', status: 'delivered', timestamp: '1795425600', recipient_id: '4915187654321' },
            ],
          },
        },
      ],
    },
  ],
};

/** Statuses, messages and template reviews from the chat upstream, signed with the account's app secret. */
@ApiTags('Provider callbacks')
@ApiParam({
  name: 'account_id',
  type: Number,
  example: 7,
  description: 'id of the chat account, as its `callback_url` shows it',
})
@Open('the upstream proves itself by the verify token, and by a signature over the body')
@RateLimited('carrier')
@Controller('provider/chat/:account_id')
export class ChatCallbacksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly bodies: Bodies,
  ) {}

  @Get()
  @NoHead()
  @Header('content-type', 'text/plain; charset=utf-8')
  @ApiOperation({ summary: 'Verification of the callback address' })
  @ApiQuery({ name: 'hub.mode', example: 'subscribe' })
  @ApiQuery({ name: 'hub.verify_token', example: 'the account’s verify_token' })
  @ApiQuery({ name: 'hub.challenge', example: '1158201444' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string', example: '1158201444' }, description: 'The challenge' })
  @ApiErrors(wrongCallback.because('unknown account, no verify_token, or a wrong one'))
  verify(@Param('account_id') accountId: string, @Query() query: Record<string, unknown>): Promise<string> {
    const hub = {
      mode: query['hub.mode'],
      verifyToken: query['hub.verify_token'],
      challenge: query['hub.challenge'],
    };
    return this.queries.execute(new VerifyChatCallbackQuery(accountId, hub));
  }

  @Post()
  @OwnBody()
  @HttpCode(200)
  @ApiOperation({ summary: 'Statuses of sent messages, inbound messages, template reviews' })
  @ApiHeader({ name: 'X-Hub-Signature-256', required: true, description: '`sha256=` and the HMAC of the raw body' })
  @ApiBody({ schema: { type: 'object', additionalProperties: true, example: EXAMPLE } })
  @ApiOkResponse({
    schema: {
      type: 'object',
      required: ['success', 'receipts', 'messages', 'templates', 'dropped'],
      properties: {
        success: { type: 'boolean' },
        receipts: { type: 'integer' },
        messages: { type: 'integer' },
        templates: { type: 'integer' },
        dropped: { type: 'integer' },
      },
      example: { success: true, receipts: 1, messages: 0, templates: 0, dropped: 0 },
    },
    description:
      'How much counted, and how much did not: of another connection, unreadable, without a sender, of an unknown kind',
  })
  @ApiErrors(wrongCallback.because('unknown account, no app_secret, or a wrong signature; nothing happens'))
  async post(
    @Param('account_id') accountId: string,
    @Headers('x-hub-signature-256') signature: string | undefined,
    @Req() request: Request,
  ): Promise<{ success: true } & ChatCallbackTaken> {
    const body = signature === undefined ? NO_BODY : await this.bodies.readRaw(request);
    const taken = await this.commands.execute(new AcceptChatCallbackCommand(accountId, signature, body));
    return { success: true, ...taken };
  }
}
