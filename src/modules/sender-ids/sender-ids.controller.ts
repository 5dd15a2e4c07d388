import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs } from '../accounts/index.js';
import { readerOf } from '../numbers/index.js';
import { type RawSender, readSender } from './sender-id.js';
import { RegisterSenderIdCommand, RemoveSenderIdCommand } from './sender-ids.commands.js';
import {
  readSenderRowId,
  RegisteredSenderIdAnswer,
  RemovedSenderIdAnswer,
  SenderIdAnswer,
  SenderIdBody,
  senderIdData,
  type SenderIdData,
  SenderIdPageAnswer,
} from './sender-ids.dto.js';
import { senderFaults, senderIdErrors } from './sender-ids.errors.js';
import { GetSenderIdQuery, ListSenderIdsQuery } from './sender-ids.queries.js';

const ID = { name: 'id', type: Number, example: 12 };
const SENDER_IDS = { name: 'sender-ids', positions: 'ids' } as const;

/** An account's sender ids (reference/sender-ids#own-routes). */
@ApiTags('Sender ids')
@Authenticated()
@Controller('v6/api/sender-ids')
export class SenderIdsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Needs('manage')
  @ApiOperation({
    summary: 'Register a sender id',
    description: 'Staff approve it, or say why not; a rejected one may be registered again.',
  })
  @ApiBody({ type: SenderIdBody })
  @ApiCreatedResponse({ type: RegisteredSenderIdAnswer })
  @ApiErrors(...Object.values(senderFaults), senderIdErrors.taken, senderIdErrors.tooMany)
  async register(@Body() body: RawSender, @CurrentActor() { account }: Actor): Promise<RegisteredSenderIdAnswer> {
    const read = readSender(body, readerOf(account));
    if ('fault' in read) throw senderFaults[read.fault]();
    const sender = await this.commands.execute(new RegisterSenderIdCommand(account, read.content));
    const data = senderIdData(sender, account.timeZone);
    return { success: true, message: 'Sender id registered successfully', data };
  }

  @Get()
  @ApiOperation({ summary: 'List sender ids, newest first' })
  @ListQuery()
  @ApiOkResponse({ type: SenderIdPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<SenderIdData>> {
    const page = readListPage(SENDER_IDS, query);
    return paged(SENDER_IDS, page, await this.queries.execute(new ListSenderIdsQuery(account, page)));
  }

  @Get(':id')
  @ApiParam(ID)
  @ApiOperation({ summary: 'One sender id' })
  @ApiOkResponse({ type: SenderIdAnswer })
  @ApiErrors(senderIdErrors.notFound)
  async find(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<SenderIdAnswer> {
    return { success: true, data: await this.queries.execute(new GetSenderIdQuery(account, readSenderRowId(id))) };
  }

  @Delete(':id')
  @Needs('manage')
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Give a sender id up',
    description: 'Campaigns that were accepted under it leave under it all the same.',
  })
  @ApiOkResponse({ type: RemovedSenderIdAnswer })
  @ApiErrors(senderIdErrors.notFound)
  async remove(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<RemovedSenderIdAnswer> {
    await this.commands.execute(new RemoveSenderIdCommand(account, readSenderRowId(id)));
    return { success: true, message: 'Sender id deleted successfully' };
  }
}
