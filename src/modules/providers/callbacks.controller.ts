import { Controller, Get, Header, Headers, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors, Bodies, bodyErrors, NO_BODY, NoHead, OwnBody } from '../../platform/http/index.js';
import { RateLimited } from '../../platform/security/index.js';
import { Open } from '../accounts/index.js';
import {
  AcceptCallCallbackCommand,
  AcceptChatCallbackCommand,
  AcceptProviderCallbackCommand,
  type CallMatter,
  type ChatCallbackTaken,
} from './callbacks.commands.js';
import { VerifyChatCallbackQuery } from './callbacks.queries.js';
import { CALL_EVENTS } from './drivers/twilio/callbacks.js';
import { wrongCallback } from './providers.errors.js';

const FORM = 'application/x-www-form-urlencoded';
const TWIML = 'text/xml';
const CALL = { AccountSid: 'AC0123456789abcdef0123456789abcdef', CallSid: 'CA0123456789abcdef0123456789abcdef' };
const HUNG_UP = '<?xml version="1.0" encoding="UTF-8"?><Response><Hangup/></Response>';

/** The voice carrier's requests and reports about calls, signed with the route's auth token. */
@ApiTags('Provider callbacks')
@ApiParam({ name: 'route', example: 'phone-1' })
@ApiParam({ name: 'ref', example: '1201-17', description: 'our reference of the recipient' })
@ApiHeader({ name: 'X-Twilio-Signature', required: true, description: 'over address (`PUBLIC_URL` and path) and form' })
@Open('the telephone network proves itself by a signature over address and form')
@RateLimited('carrier')
@Controller('provider/voice/:route/calls/:ref')
export class CallCallbacksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly bodies: Bodies,
  ) {}

  @Post('steps/:step/:event')
  @OwnBody()
  @HttpCode(200)
  @Header('content-type', `${TWIML}; charset=utf-8`)
  @ApiOperation({ summary: 'What comes next in a call; repeats get the same answer' })
  @ApiParam({ name: 'step', type: Number, example: 1, description: 'counts from 0, the answered call' })
  @ApiParam({ name: 'event', enum: CALL_EVENTS, description: 'what has happened' })
  @ApiConsumes(FORM)
  @ApiBody({ schema: { example: { ...CALL, CallStatus: 'in-progress', Digits: '1' } } })
  @ApiProduces(TWIML)
  @ApiOkResponse({ schema: { type: 'string', example: HUNG_UP }, description: 'TwiML' })
  @ApiErrors(wrongCallback)
  next(
    @Param('route') route: string,
    @Param('ref') ref: string,
    @Param('step') step: string,
    @Param('event') event: string,
    @Headers('x-twilio-signature') signature: string | undefined,
    @Req() request: Request,
  ): Promise<string> {
    return this.accept(route, ref, readStep(step, event), signature, request);
  }

  @Post('status')
  @OwnBody()
  @HttpCode(200)
  @Header('content-type', `${TWIML}; charset=utf-8`)
  @ApiOperation({ summary: 'How a call ended' })
  @ApiConsumes(FORM)
  @ApiBody({ schema: { example: { ...CALL, To: '+4915112345678', CallStatus: 'completed', CallDuration: '17' } } })
  @ApiProduces(TWIML)
  @ApiOkResponse({ schema: { type: 'string', example: '<Response/>' }, description: 'Nothing more to do' })
  @ApiErrors(wrongCallback)
  status(
    @Param('route') route: string,
    @Param('ref') ref: string,
    @Headers('x-twilio-signature') signature: string | undefined,
    @Req() request: Request,
  ): Promise<string> {
    return this.accept(route, ref, { kind: 'status' }, signature, request);
  }

  private async accept(
    route: string,
    ref: string,
    matter: CallMatter | null,
    signature: string | undefined,
    request: Request,
  ): Promise<string> {
    const isWorthReading = signature !== undefined && request.is(FORM);
    const { bytes: form } = isWorthReading ? await this.bodies.readRaw(request) : NO_BODY;
    const path = request.originalUrl;
    return this.commands.execute(new AcceptCallCallbackCommand(route, ref, matter, { path, signature, form }));
  }
}

function readStep(step: string, event: string): CallMatter | null {
  const known = CALL_EVENTS.find((kind) => kind === event);
  return known && /^\d{1,6}$/.test(step) ? { kind: 'step', step: Number(step), event: known } : null;
}

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

/** Statuses, messages and template reviews of the chat provider, signed with the account's app secret. */
@ApiTags('Provider callbacks')
@ApiParam({
  name: 'account_id',
  type: Number,
  example: 7,
  description: 'id of the chat account, as its `callback_url` shows it',
})
@Open('the provider proves itself by the verify token, and by a signature over the body')
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

const ACCEPTED = {
  schema: {
    type: 'object',
    required: ['success', 'receipts'],
    properties: { success: { type: 'boolean' }, receipts: { type: 'integer' } },
    example: { success: true, receipts: 1 },
  },
  description: 'How many receipts were taken',
};

/** Receipts and inbound texts of carriers over HTTP; the secret in the path, compared in constant time, is the proof. */
@ApiTags('Provider callbacks')
@ApiParam({ name: 'channel', enum: ['sms', 'unofficial'] })
@ApiParam({ name: 'route', example: 'gateway-1' })
@ApiParam({ name: 'secret', description: 'last segment of the `callback_url` that the admin route shows' })
@Open('carriers prove themselves by the secret in the path')
@RateLimited('carrier')
@ApiErrors(wrongCallback.because('unknown route or wrong secret; nothing happens'))
@Controller('provider/:channel/:route/:secret')
export class ProviderCallbacksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly bodies: Bodies,
  ) {}

  @Post()
  @OwnBody()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Delivery receipts, as JSON, XML or form',
    description:
      'What the body is counts before what its `Content-Type` says. Also texts that people wrote back, `{ from, to, text }` or as the `inbound` of the route says: they become inbound messages.',
  })
  @ApiBody({
    schema: {
      type: 'object',
      additionalProperties: true,
      example: { id: 'abc-1', status: 'delivered', to: '4915112345678' },
    },
  })
  @ApiOkResponse(ACCEPTED)
  @ApiErrors(bodyErrors.malformedXml, bodyErrors.unknownType)
  post(
    @Param('channel') channel: string,
    @Param('route') route: string,
    @Param('secret') secret: string,
    @Query() query: Record<string, unknown>,
    @Headers() headers: Record<string, string | string[] | undefined>,
    @Req() request: Request,
  ): Promise<{ success: true; receipts: number }> {
    const body = async (): Promise<unknown> => (await this.bodies.readRaw(request)).value();
    return this.accept(
      new AcceptProviderCallbackCommand(channel, route, secret, { method: 'POST', query, headers }, body),
    );
  }

  @Get()
  @NoHead()
  @ApiOperation({ summary: 'A delivery receipt in the query' })
  @ApiOkResponse(ACCEPTED)
  get(
    @Param('channel') channel: string,
    @Param('route') route: string,
    @Param('secret') secret: string,
    @Query() query: Record<string, unknown>,
    @Headers() headers: Record<string, string | string[] | undefined>,
  ): Promise<{ success: true; receipts: number }> {
    return this.accept(
      new AcceptProviderCallbackCommand(channel, route, secret, { method: 'GET', query, headers }, () =>
        Promise.resolve(null),
      ),
    );
  }

  private async accept(command: AcceptProviderCallbackCommand): Promise<{ success: true; receipts: number }> {
    return { success: true, receipts: await this.commands.execute(command) };
  }
}
