import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { digitsOf } from '../../kernel/contacts.js';
import { fieldErrors } from '../../kernel/errors.js';
import { partOf } from '../../kernel/lists.js';
import { refusedNumber } from '../../kernel/phone-numbers.js';
import { textOrNull } from '../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { type Account, accountErrors, type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { readerOf } from '../numbers/index.js';
import { OPERATOR_ROUTE_KINDS } from '../providers/index.js';
import { isCategory } from './routing-form.js';
import { PutRoutingTableCommand, type RawRoutingTable, RemoveRoutingTableCommand } from './routing.commands.js';
import {
  ExplanationAnswer,
  PutRoutingTableBody,
  RemovedRoutingTableAnswer,
  RoutingTableAnswer,
  type RoutingTableData,
  RoutingTablePageAnswer,
  type RoutingTableSummaryData,
  SavedRoutingTableAnswer,
} from './routing.dto.js';
import { PUT_ROUTING_ERRORS, routingErrors } from './routing.errors.js';
import {
  type ExplainedSend,
  ExplainRoutingQuery,
  GetRoutingTableQuery,
  ListRoutingTablesQuery,
} from './routing.queries.js';

/** Also the beginning of a number, and what specified endpoints make of one. */
const DIGITS = /^\+?[0-9](?: ?[0-9]){0,19}$/;
const readWritten = readerOf({ country: null });

function readExplained(query: Record<string, unknown>): ExplainedSend {
  const username = textOrNull(query['account']);
  if (username === null) throw fieldErrors.required('account');
  const number = textOrNull(query['number']);
  if (number === null) throw fieldErrors.required('number');
  const read = DIGITS.test(number) ? { digits: digitsOf(number) } : readWritten(number);
  if ('refused' in read) throw fieldErrors.invalid('number').helping({ hint: refusedNumber(read.refused).message });
  const channel = textOrNull(query['channel']) ?? 'sms';
  const kind = OPERATOR_ROUTE_KINDS.find((word) => word === channel);
  if (!kind) throw fieldErrors.noWord('channel', OPERATOR_ROUTE_KINDS);
  const category = textOrNull(query['category']);
  if (category !== null && !isCategory(category)) throw fieldErrors.invalid('category');
  return { username, number: read.digits, kind, category, service: textOrNull(query['service']) };
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const EXPLAIN = 'explain';
const TABLES = { name: 'routing', positions: 'texts' } as const;

/** Rules that choose routes (reference/routing#rules). */
@ApiTags('Admin: routing')
@Admin()
@Controller('v6/api/admin/routing')
export class RoutingController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List routing tables, by name, without their rules' })
  @ListQuery()
  @ApiOkResponse({ type: RoutingTablePageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<RoutingTableSummaryData>> {
    const page = readListPage(TABLES, query);
    const tables = await this.queries.execute(new ListRoutingTablesQuery(account.timeZone));
    return paged(
      TABLES,
      page,
      partOf(tables, ({ name }) => name, page),
    );
  }

  @Get(EXPLAIN)
  @ApiOperation({ summary: 'Over which routes a number would leave, and why' })
  @ApiQuery({ name: 'account', example: 'jane.doe' })
  @ApiQuery({ name: 'number', example: '919876543210' })
  @ApiQuery({ name: 'channel', required: false, enum: [...OPERATOR_ROUTE_KINDS], description: '`sms` if absent' })
  @ApiQuery({ name: 'service', required: false, description: 'What the request would name as its route' })
  @ApiQuery({ name: 'category', required: false, example: 'otp' })
  @ApiOkResponse({ type: ExplanationAnswer })
  @ApiErrors(
    fieldErrors.required.shown('account').because('likewise number'),
    fieldErrors.invalid.shown('number').because('neither 1 to 20 digits nor what the strict reader takes'),
    fieldErrors.noWord.shown('channel', OPERATOR_ROUTE_KINDS).because('another word'),
    fieldErrors.invalid.shown('category').because('no lower-case word of at most 32 characters'),
    accountErrors.notFound.because('unknown'),
  )
  async explain(@Query() query: Record<string, unknown>): Promise<ExplanationAnswer> {
    return { success: true, data: await this.queries.execute(new ExplainRoutingQuery(readExplained(query))) };
  }

  @Get(':name')
  @ApiParam({ name: 'name', example: 'india' })
  @ApiOperation({ summary: 'Show a routing table' })
  @ApiOkResponse({ type: RoutingTableAnswer })
  @ApiErrors(routingErrors.notFound)
  async show(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RoutingTableAnswer> {
    return { success: true, data: await this.find(name, account) };
  }

  @Put(':name')
  @ApiParam({ name: 'name', example: 'india', description: '1 to 64 of A-Z a-z 0-9 . _ -, not `explain`' })
  @ApiOperation({
    summary: 'Create or replace a routing table',
    description:
      'Of all tables of a channel the longest prefix decides, then a rule that names the account, then one that names the category, then the name of the table and the place in it. Sends that are accepted within 2 s follow it.',
  })
  @ApiBody({ type: PutRoutingTableBody })
  @ApiOkResponse({ type: SavedRoutingTableAnswer })
  @ApiErrors(...PUT_ROUTING_ERRORS)
  async put(
    @Param('name') name: string,
    @Body() body: RawRoutingTable,
    @CurrentActor() { account }: Actor,
  ): Promise<SavedRoutingTableAnswer> {
    if (!NAME.test(name) || name === EXPLAIN) throw routingErrors.name();
    await this.commands.execute(new PutRoutingTableCommand(account, name, body));
    return { success: true, message: 'Routing table saved successfully', data: await this.find(name, account) };
  }

  @Delete(':name')
  @ApiParam({ name: 'name', example: 'india' })
  @ApiOperation({ summary: 'Remove a routing table' })
  @ApiOkResponse({ type: RemovedRoutingTableAnswer })
  @ApiErrors(routingErrors.notFound)
  async remove(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RemovedRoutingTableAnswer> {
    await this.commands.execute(new RemoveRoutingTableCommand(account, name));
    return { success: true, message: 'Routing table deleted successfully' };
  }

  private find(name: string, account: Account): Promise<RoutingTableData> {
    return this.queries.execute(new GetRoutingTableQuery(name, account.timeZone));
  }
}
