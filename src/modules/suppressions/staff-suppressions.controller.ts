import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { accountErrors, type Actor, Admin, CurrentActor, FindManagedAccountQuery } from '../accounts/index.js';
import { ACCOUNT_ERRORS, CLOSED_BY_STAFF } from '../managed-accounts/index.js';
import type { RawNumbers } from './suppression.js';
import { AddSuppressionsCommand, RemoveSuppressionsCommand } from './suppressions.commands.js';
import {
  AddedAnswer,
  wantedOf,
  numbersOf,
  RemovedAnswer,
  type SuppressionData,
  SuppressionNumbersBody,
  SuppressionPageAnswer,
  wantedNumber,
} from './suppressions.dto.js';
import { suppressionErrors } from './suppressions.errors.js';
import { ListSuppressionsQuery } from './suppressions.queries.js';

const STOP_LIST = { name: 'suppressions of an account', positions: 'texts' } as const;
const OF_STAFF = accountErrors.forbidden.because('the list of staff, without being super');

/** An account's stop list for staff, because recipients may call instead of writing STOP. */
@ApiTags('Admin: accounts')
@Admin({ resellers: true })
@ApiErrors(...ACCOUNT_ERRORS)
@ApiParam({ name: 'username', example: 'jane.doe' })
@Controller('v6/api/admin/accounts/:username/suppressions')
export class AccountSuppressionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Its stop list, by number' })
  @ApiQuery({ name: 'number', required: false, example: '4915112345678', description: 'Is this number on it?' })
  @ListQuery()
  @ApiOkResponse({ type: SuppressionPageAnswer })
  @ApiErrors(suppressionErrors.number, ...LIST_ERRORS)
  async list(
    @Param('username') username: string,
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<SuppressionData>> {
    const owner = await this.queries.execute(new FindManagedAccountQuery(account, username, 'see'));
    const page = readListPage(STOP_LIST, query);
    const number = wantedNumber(query['number'], owner);
    return paged(STOP_LIST, page, await this.queries.execute(new ListSuppressionsQuery(owner, number, page)));
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Put numbers on its stop list',
    description: 'Counts at once, also for campaigns that run. The audit log keeps how many, not which.',
  })
  @ApiBody({ type: SuppressionNumbersBody })
  @ApiOkResponse({ type: AddedAnswer })
  @ApiErrors(OF_STAFF, CLOSED_BY_STAFF, suppressionErrors.required, suppressionErrors.number, suppressionErrors.tooMany)
  async add(
    @Param('username') username: string,
    @Body() body: RawNumbers,
    @CurrentActor() { account }: Actor,
  ): Promise<AddedAnswer> {
    const owner = await this.queries.execute(new FindManagedAccountQuery(account, username, 'change'));
    const by = { actor: account, username };
    const data = await this.commands.execute(new AddSuppressionsCommand(owner.id, numbersOf(body, owner), by));
    return { success: true, message: 'Suppressions saved successfully', data };
  }

  @Delete()
  @ApiOperation({
    summary: 'Take numbers off its stop list',
    description: 'Named in the body, or one in the query. Those that wrote STOP are taken off too.',
  })
  @ApiQuery({ name: 'number', required: false, example: '4915112345678' })
  @ApiBody({ type: SuppressionNumbersBody, required: false })
  @ApiOkResponse({ type: RemovedAnswer })
  @ApiErrors(
    OF_STAFF,
    CLOSED_BY_STAFF,
    suppressionErrors.required,
    suppressionErrors.number,
    suppressionErrors.notFound,
  )
  async remove(
    @Param('username') username: string,
    @Body() { number, numbers }: RawNumbers,
    @Query('number') named: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<RemovedAnswer> {
    const owner = await this.queries.execute(new FindManagedAccountQuery(account, username, 'change'));
    const wanted = wantedOf({ numbers, number: number ?? named }, owner);
    const by = { actor: account, username };
    const removed = await this.commands.execute(new RemoveSuppressionsCommand(owner, wanted, by));
    return { success: true, message: 'Suppressions removed successfully', data: { removed } };
  }
}
