import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { readId } from '../../kernel/ids.js';
import { readText, textOrNull } from '../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import {
  type Account,
  accountErrors,
  type Actor,
  Admin,
  CurrentActor,
  FindManagedAccountQuery,
} from '../accounts/index.js';
import { wordOf } from '../suppressions/index.js';
import { AssignInboundMessageCommand } from './inbound-messages.commands.js';
import { idOf } from './inbound-messages.controller.js';
import {
  AssignBody,
  AssignedAnswer,
  InboundNumberAnswer,
  InboundNumberBody,
  type InboundNumberData,
  InboundNumberPageAnswer,
  readFilter,
  RemovedInboundNumberAnswer,
  type StaffInboundMessageData,
  StaffInboundMessagePageAnswer,
} from './inbound-messages.dto.js';
import { inboundErrors } from './inbound-messages.errors.js';
import { FindRouteByNameQuery, ReviewInboundMessagesQuery } from './inbound-messages.queries.js';
import { AddInboundNumberCommand, RemoveInboundNumberCommand } from './numbers/inbound-numbers.commands.js';
import {
  FindInboundNumberOwnerQuery,
  inboundNumberData,
  ListInboundNumbersQuery,
} from './numbers/inbound-numbers.queries.js';

const MESSAGES = { name: 'staff-inbound-messages', positions: 'ids' } as const;
const NUMBERS = { name: 'inbound-numbers', positions: 'ids' } as const;
const USERNAME_REQUIRED = fieldErrors.required.shown('username');

function requiredText(body: Readonly<Record<string, unknown>>, field: string): string {
  const read = readText(body[field]);
  if (read.kind === 'empty') throw fieldErrors.required(field);
  if (read.kind !== 'text') throw fieldErrors.invalid(field);
  return read.value;
}

/** The inbox of the operator, and inbound SMS of accounts (reference/inbound-messages#staff). */
@ApiTags('Admin: inbound messages')
@Admin()
@Controller('v6/api/admin/inbound-messages')
export class StaffInboundMessagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Inbound SMS without an account, or of one account, the newest first',
    description: 'Without `username`: the inbox of the operator, texts that belong to no account.',
  })
  @ApiQuery({ name: 'username', required: false, example: 'demo' })
  @ApiQuery({ name: 'from', required: false, example: '919812345678' })
  @ApiQuery({ name: 'to', required: false, example: '57575' })
  @ApiQuery({ name: 'keyword', required: false, example: 'INFO' })
  @ListQuery()
  @ApiOkResponse({ type: StaffInboundMessagePageAnswer })
  @ApiErrors(accountErrors.notFound, ...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<StaffInboundMessageData>> {
    const username = textOrNull(query['username']);
    const owner = username === null ? null : await this.ownerOf(account, username, 'see');
    const page = readListPage(MESSAGES, query);
    const list = new ReviewInboundMessagesQuery(account, owner, readFilter(query, owner ?? account), page);
    return paged(MESSAGES, page, await this.queries.execute(list));
  }

  @Post(':id/assign')
  @HttpCode(200)
  @ApiParam({ name: 'id', type: Number, example: 374100212563968 })
  @ApiOperation({
    summary: 'Give an inbound SMS of the inbox to an account',
    description: 'Its stop word counts for the account, its keywords answer, and the account gets the event.',
  })
  @ApiBody({ type: AssignBody })
  @ApiOkResponse({ type: AssignedAnswer })
  @ApiErrors(
    USERNAME_REQUIRED,
    fieldErrors.invalid.shown('username').because('no text'),
    accountErrors.notFound,
    inboundErrors.notFound.because('no such message'),
    inboundErrors.assigned,
  )
  async assign(
    @Param('id') id: string,
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<AssignedAnswer> {
    const owner = await this.ownerOf(account, requiredText(body, 'username'), 'change');
    await this.commands.execute(new AssignInboundMessageCommand(account, idOf(id), owner));
    return { success: true, message: 'Inbound message assigned successfully' };
  }

  private ownerOf(actor: Account, username: string, to: 'see' | 'change'): Promise<Account> {
    return this.queries.execute(new FindManagedAccountQuery(actor, username, to));
  }
}

/** Numbers and short codes of accounts (reference/inbound-messages#staff). */
@ApiTags('Admin: inbound messages')
@Admin()
@Controller('v6/api/admin/inbound-numbers')
export class InboundNumbersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Inbound numbers of all accounts, the newest first' })
  @ListQuery()
  @ApiOkResponse({ type: InboundNumberPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<InboundNumberData>> {
    const page = readListPage(NUMBERS, query);
    return paged(NUMBERS, page, await this.queries.execute(new ListInboundNumbersQuery(account, page)));
  }

  @Post()
  @ApiOperation({
    summary: 'Give a number or short code of a route to an account',
    description: 'Texts to it are for the account. With `keyword`, only those that begin with the word.',
  })
  @ApiBody({ type: InboundNumberBody })
  @ApiCreatedResponse({ type: InboundNumberAnswer })
  @ApiErrors(
    fieldErrors.required.shown('number').because('likewise `route` and `username`'),
    fieldErrors.invalid
      .shown('number')
      .because('likewise `route`, `username` and `keyword`: no text, or no such route'),
    accountErrors.notFound,
    accountErrors.permissionDenied,
    accountErrors.forbidden,
    inboundErrors.numberTaken,
    inboundErrors.tooManyNumbers,
    inboundErrors.tooManyWords,
  )
  async add(@Body() body: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<InboundNumberAnswer> {
    const [written, route, username] = ['number', 'route', 'username'].map((field) => requiredText(body, field)) as [
      string,
      string,
      string,
    ];
    const number = written.replace(/ /g, '').replace(/^\+/, '');
    if (!/^[0-9]{2,20}$/.test(number)) throw fieldErrors.invalid('number');
    const given = readText(body['keyword']);
    const keyword = given.kind === 'text' ? wordOf(given.value) : '';
    if (given.kind !== 'empty' && !/^\S+$/.test(keyword)) throw fieldErrors.invalid('keyword');
    const routeId = await this.queries.execute(new FindRouteByNameQuery(route));
    if (routeId === null) throw fieldErrors.invalid('route');
    const owner = await this.queries.execute(new FindManagedAccountQuery(account, username, 'change'));
    const added = await this.commands.execute(
      new AddInboundNumberCommand(account, owner, { number, routeId, keyword }),
    );
    return { success: true, data: inboundNumberData(added, { route, username: owner.username }, account) };
  }

  @Delete(':id')
  @ApiParam({ name: 'id', type: Number, example: 3 })
  @ApiOperation({ summary: 'Take an inbound number from its account', description: 'Messages that came stay.' })
  @ApiOkResponse({ type: RemovedInboundNumberAnswer })
  @ApiErrors(inboundErrors.numberNotFound, accountErrors.permissionDenied, accountErrors.forbidden)
  async remove(@Param('id') text: string, @CurrentActor() { account }: Actor): Promise<RemovedInboundNumberAnswer> {
    const id = readId(text);
    if (id === null) throw inboundErrors.numberNotFound();
    const owner = await this.queries.execute(new FindInboundNumberOwnerQuery(id));
    if (owner !== null) await this.queries.execute(new FindManagedAccountQuery(account, owner, 'change'));
    await this.commands.execute(new RemoveInboundNumberCommand(account, id));
    return { success: true, message: 'Inbound number removed successfully' };
  }
}
