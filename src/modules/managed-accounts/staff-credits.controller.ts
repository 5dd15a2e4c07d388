import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { fieldErrors } from '../../kernel/errors.js';
import { codePoints, textOrNull } from '../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, readListPage, valueErrors } from '../../platform/http/index.js';
import { accountErrors, type Actor, Admin, CurrentActor, FindAccountQuery } from '../accounts/index.js';
import {
  AdjustedCreditsAnswer,
  BALANCES,
  BalancesAnswer,
  creditErrors,
  CreditProofsAnswer,
  GetBalancesQuery,
  GetLedgerOpeningQuery,
  GetUsageQuery,
  LedgerPageAnswer,
  ListLedgerQuery,
  ProveCreditsQuery,
  readBalance,
  readUsage,
  STAFF_USAGE_GROUPS,
  USAGE_CSV,
  USAGE_ERRORS,
  usageCsv,
  UsagePageAnswer,
  UsageRoute,
  wantsCsv,
} from '../credits/index.js';
import { AdjustCreditsCommand } from './credits.commands.js';
import { AdjustCreditsRequest, MOST_AT_ONCE } from './managed-accounts.dto.js';
import { ACCOUNT_ERRORS, CLOSED_BY_STAFF } from './managed-accounts.errors.js';

const LONGEST_NOTE = 255;

const LEDGER = { name: 'ledger', positions: 'ids' } as const;

@ApiTags('Admin: credits')
@Admin({ resellers: true })
@ApiErrors(...ACCOUNT_ERRORS)
@ApiParam({ name: 'username', example: 'jane.doe' })
@Controller('v6/api/admin/accounts/:username/credits')
export class CreditsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Grant credits, or take them back',
    description:
      'A negative amount takes back. A reseller’s grants come out of its own balance, in one transaction; it takes back ' +
      'no more than it has granted to the client.',
  })
  @ApiOkResponse({ type: AdjustedCreditsAnswer })
  @ApiErrors(
    CLOSED_BY_STAFF,
    accountErrors.confirmationRequired.because('more than CONFIRM_CREDITS, by a login with a second factor'),
    fieldErrors.noWord.shown('balance', BALANCES).because('another word'),
    valueErrors.noAmount.shown('amount', MOST_AT_ONCE),
    fieldErrors.tooLong.shown('note', LONGEST_NOTE).because('too long'),
    creditErrors.insufficient
      .shown(3, 5)
      .because('more than there is, or more than the reseller has granted to this client'),
  )
  async adjust(
    @Param('username') username: string,
    @Body() body: AdjustCreditsRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<AdjustedCreditsAnswer> {
    const note = textOrNull(body.note);
    if (note !== null && codePoints(note) > LONGEST_NOTE) {
      throw fieldErrors.tooLong('note', LONGEST_NOTE);
    }
    const command = new AdjustCreditsCommand(account, username, body.balance, body.amount, note);
    return { success: true, data: await this.commands.execute(command) };
  }

  @Get()
  @ApiOperation({ summary: 'The six balances' })
  @ApiOkResponse({ type: BalancesAnswer })
  async balances(@Param('username') username: string, @CurrentActor() { account }: Actor): Promise<BalancesAnswer> {
    const { id } = await this.queries.execute(new FindAccountQuery(account, username));
    return { success: true, data: await this.queries.execute(new GetBalancesQuery(id)) };
  }

  @Get('ledger')
  @ApiOperation({ summary: 'Every movement of credits, newest first' })
  @ApiQuery({ name: 'balance', required: false, enum: [...BALANCES] })
  @ListQuery()
  @ApiOkResponse({ type: LedgerPageAnswer })
  @ApiErrors(creditErrors.unknownBalance, ...LIST_ERRORS)
  async ledger(
    @Param('username') username: string,
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<LedgerPageAnswer> {
    const { id, time_zone } = await this.queries.execute(new FindAccountQuery(account, username));
    const balance = readBalance(query);
    const page = readListPage(LEDGER, query);
    const listed = await this.queries.execute(new ListLedgerQuery(id, time_zone, balance, page));
    const opening = await this.queries.execute(new GetLedgerOpeningQuery(id, balance));
    return { ...paged(LEDGER, page, listed), opening };
  }

  @Get('proof')
  @ApiOperation({ summary: 'The ledger’s sum against the stored balance' })
  @ApiQuery({ name: 'closings', required: false, enum: ['true'], description: 'Prove every closing too' })
  @ApiOkResponse({ type: CreditProofsAnswer })
  async proof(
    @Param('username') username: string,
    @Query('closings') closings: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<CreditProofsAnswer> {
    const { id } = await this.queries.execute(new FindAccountQuery(account, username));
    return { success: true, data: await this.queries.execute(new ProveCreditsQuery(id, closings === 'true')) };
  }
}

const USAGE = { name: 'usage of accounts', positions: 'texts' } as const;

@ApiTags('Admin: usage')
@Admin()
@Controller('v6/api/admin/usage')
export class UsageController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'What was charged and refunded, of one account or all' })
  @ApiQuery({
    name: 'account',
    required: false,
    example: 'jane.doe',
    description: 'All accounts, where it is not given',
  })
  @ListQuery()
  @UsageRoute(STAFF_USAGE_GROUPS, UsagePageAnswer)
  @ApiErrors(
    ...USAGE_ERRORS,
    fieldErrors.required.shown('account').because('by campaign, and none is named'),
    accountErrors.notFound,
    ...LIST_ERRORS,
  )
  async usage(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account: actor }: Actor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UsagePageAnswer | string> {
    const selection = readUsage(query, STAFF_USAGE_GROUPS);
    const isFile = wantsCsv(query, (types) => request.accepts(types));
    const username = textOrNull(query['account']);
    if (username === null && selection.group === 'campaign') throw fieldErrors.required('account');
    const found = username === null ? null : await this.queries.execute(new FindAccountQuery(actor, username));
    const page = isFile ? null : readListPage(USAGE, query);
    const listed = await this.queries.execute(new GetUsageQuery(found?.id ?? null, selection, page));
    if (page) return { ...paged(USAGE, page, listed), ...selection };
    response.setHeader('Content-Type', USAGE_CSV);
    return usageCsv(selection, listed.items);
  }
}
