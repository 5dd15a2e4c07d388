import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiErrors, paged, readPage } from '../../../platform/http/index.js';
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

/** The acting account's own credits. */
@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account')
export class OwnAccountController {
  constructor(private readonly queries: QueryBus) {}

  @Get('credits')
  @ApiOperation({ summary: 'The six balances' })
  @ApiOkResponse({ type: BalancesAnswer })
  async credits(@CurrentActor() { account }: Actor): Promise<BalancesAnswer> {
    return { success: true, data: await this.queries.execute(new GetBalancesQuery(account.id)) };
  }

  @Get('credits/ledger')
  @ApiOperation({ summary: 'Every movement of credits, newest first' })
  @ApiQuery({ name: 'balance', required: false, enum: [...BALANCES] })
  @ApiQuery({ name: 'page', required: false, example: 1 })
  @ApiQuery({ name: 'limit', required: false, example: 50 })
  @ApiOkResponse({ type: LedgerPageAnswer })
  @ApiErrors(creditErrors.unknownBalance)
  async ledger(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<LedgerPageAnswer> {
    const page = readPage(query);
    const balance = readBalance(query);
    const list = new ListLedgerQuery(account.id, account.timeZone, balance, page.page, page.limit);
    const { entries, total } = await this.queries.execute(list);
    const opening = await this.queries.execute(new GetLedgerOpeningQuery(account.id, balance));
    return { ...paged(entries, page, total), opening };
  }
}
