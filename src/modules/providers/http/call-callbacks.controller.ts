import { Controller, Header, Headers, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors, Bodies, NO_BODY, OwnBody } from '../../../platform/http/index.js';
import { RateLimited } from '../../../platform/security/index.js';
import { Open } from '../../accounts/index.js';
import { AcceptCallCallbackCommand, type CallMatter } from '../commands/accept-call-callback.command.js';
import { CALL_EVENTS } from '../drivers/twilio/callback-urls.js';
import { wrongCallback } from '../providers.errors.js';

const FORM = 'application/x-www-form-urlencoded';
const TWIML = 'text/xml';
const CALL = { AccountSid: 'AC0123456789abcdef0123456789abcdef', CallSid: 'CA0123456789abcdef0123456789abcdef' };
const HUNG_UP = '<?xml version="1.0" encoding="UTF-8"?><Response><Hangup/></Response>';

/** Questions and news about calls from the telephone network, signed with the route's auth token. */
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
