import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { readId } from '../../kernel/ids.js';
import { readText } from '../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs } from '../accounts/index.js';
import { smsErrors } from '../channels/sms/index.js';
import { creditErrors } from '../credits/index.js';
import { acceptanceErrors } from '../engine/index.js';
import { GUARD_ERRORS } from '../guard/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../idempotency/index.js';
import { readSmsOptions } from '../sender-ids/index.js';
import { ReplyToInboundMessageCommand } from './inbound-messages.commands.js';
import {
  InboundMessageAnswer,
  type InboundMessageData,
  InboundMessagePageAnswer,
  readFilter,
  ReplyAnswer,
  ReplyBody,
} from './inbound-messages.dto.js';
import { inboundErrors } from './inbound-messages.errors.js';
import { FindInboundMessageQuery, ListInboundMessagesQuery } from './inbound-messages.queries.js';

const MESSAGES = { name: 'inbound-messages', positions: 'ids' } as const;
const ID = { name: 'id', type: Number, example: 374100212563968 };

/** Texts that people sent to an account over SMS routes (reference/inbound-messages#routes). */
@ApiTags('Inbound messages')
@Authenticated()
@Controller('v6/api/inbound-messages')
export class InboundMessagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Inbound SMS, the newest first' })
  @ApiQuery({ name: 'from', required: false, example: '919812345678', description: 'Number of the sender' })
  @ApiQuery({ name: 'to', required: false, example: '57575', description: 'Number or short code it was sent to' })
  @ApiQuery({ name: 'keyword', required: false, example: 'INFO' })
  @ListQuery()
  @ApiOkResponse({ type: InboundMessagePageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<InboundMessageData>> {
    const page = readListPage(MESSAGES, query);
    const list = new ListInboundMessagesQuery(account, readFilter(query, account), page);
    return paged(MESSAGES, page, await this.queries.execute(list));
  }

  @Get(':id')
  @ApiParam(ID)
  @ApiOperation({ summary: 'One inbound SMS' })
  @ApiOkResponse({ type: InboundMessageAnswer })
  @ApiErrors(inboundErrors.notFound)
  async show(@Param('id') text: string, @CurrentActor() { account }: Actor): Promise<InboundMessageAnswer> {
    const data = await this.queries.execute(new FindInboundMessageQuery(account, idOf(text)));
    return { success: true, data };
  }

  @Post(':id/reply')
  @Needs('send:sms', 'send:chat')
  @Idempotent()
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Answer an inbound SMS',
    description: 'Leaves over the same route, under the number that the person wrote to; priced as any SMS.',
  })
  @ApiBody({ type: ReplyBody })
  @ApiCreatedResponse({ type: ReplyAnswer })
  @ApiErrors(
    fieldErrors.required.shown('message'),
    fieldErrors.invalid.shown('message').because('no text'),
    smsErrors.dltTemplateId,
    smsErrors.validity,
    inboundErrors.notFound,
    inboundErrors.unanswerable,
    acceptanceErrors.noRoute.because('the route of the message is removed'),
    smsErrors.tooLong,
    smsErrors.dltTemplateRequired,
    smsErrors.dltEntityRequired,
    ...GUARD_ERRORS,
    creditErrors.insufficient,
  )
  async reply(
    @Param('id') text: string,
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
    @IdempotencyKey('inbound_reply') idempotent: IdempotentRequest | null,
  ): Promise<ReplyAnswer> {
    const message = readText(body['message']);
    if (message.kind === 'empty') throw fieldErrors.required('message');
    if (message.kind !== 'text') throw fieldErrors.invalid('message');
    const read = readSmsOptions({ dlt_template_id: body['dlt_template_id'], validity_s: body['validity_s'] });
    if ('fault' in read) throw smsErrors[read.fault]();
    const command = new ReplyToInboundMessageCommand(account, idOf(text), message.value, read.options, idempotent);
    return { success: true, message: 'Reply queued successfully', data: await this.commands.execute(command) };
  }
}

/** @throws AppError not_found for what is no id */
export function idOf(text: string): number {
  const id = readId(text);
  if (id === null) throw inboundErrors.notFound();
  return id;
}
