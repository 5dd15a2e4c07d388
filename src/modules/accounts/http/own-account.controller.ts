import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, readListPage } from '../../../platform/http/index.js';
import {
  BALANCES,
  BalancesAnswer,
  creditErrors,
  GetBalancesQuery,
  GetLedgerOpeningQuery,
  LedgerPageAnswer,
  ListLedgerQuery,
  readBalance,
} from '../../credits/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { Authenticated } from '../authentication/decorators.js';
import { FindOwnAccountQuery } from '../queries/find-own-account.query.js';
import { OwnAccountAnswer } from './own-account.dto.js';

const LEDGER = { name: 'ledger', places: 'ids' } as const;

/** The acting account itself, and its credits. */
@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account')
export class OwnAccountController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'Who am I', description: 'The account that acts, and the person who acts for it.' })
  @ApiOkResponse({ type: OwnAccountAnswer })
  async own(@CurrentActor() { account }: Actor): Promise<OwnAccountAnswer> {
    return { success: true, data: await this.queries.execute(new FindOwnAccountQuery(account)) };
  }

  @Get('credits')
  @ApiOperation({ summary: 'The six balances' })
  @ApiOkResponse({ type: BalancesAnswer })
  async credits(@CurrentActor() { account }: Actor): Promise<BalancesAnswer> {
    return { success: true, data: await this.queries.execute(new GetBalancesQuery(account.id)) };
  }

  @Get('credits/ledger')
  @ApiOperation({ summary: 'Every movement of credits, newest first' })
  @ApiQuery({ name: 'balance', required: false, enum: [...BALANCES] })
  @ListQuery()
  @ApiOkResponse({ type: LedgerPageAnswer })
  @ApiErrors(creditErrors.unknownBalance, ...LIST_ERRORS)
  async ledger(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<LedgerPageAnswer> {
    const balance = readBalance(query);
    const page = readListPage(LEDGER, query);
    const listed = await this.queries.execute(new ListLedgerQuery(account.id, account.timeZone, balance, page));
    const opening = await this.queries.execute(new GetLedgerOpeningQuery(account.id, balance));
    return { ...paged(LEDGER, page, listed), opening };
  }
}
