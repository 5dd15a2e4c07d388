import { Body, Controller, Get, Put, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors, paged, type Paged, readPage, RequiredText } from '../../../platform/http/index.js';
import { clientIp } from '../../../platform/security/index.js';
import {
  BALANCES,
  BalancesAnswer,
  GetBalancesQuery,
  type LedgerEntryView,
  LedgerPageAnswer,
  ListLedgerQuery,
  readBalance,
} from '../../credits/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { Authenticated } from '../authentication/decorators.js';
import { ChangePasswordCommand } from '../commands/change-password.command.js';
import { CREDIT_ERRORS, LEDGER_ERRORS, PASSWORD_ERRORS } from './account-desk.errors.js';
import { DoneAnswer } from './api-key.schema.js';

/** Body of PUT /account/password. */
export class ChangePasswordRequest {
  @RequiredText('current', 'Sunny-Day-7')
  current!: string;

  @RequiredText('new', 'Rainy-Day-8')
  new!: string;
}

/** The acting account's own credits and password. */
@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account')
export class OwnAccountController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('credits')
  @ApiOperation({ summary: 'The six balances' })
  @ApiOkResponse({ type: BalancesAnswer })
  @ApiErrors(CREDIT_ERRORS)
  async credits(@CurrentActor() { account }: Actor): Promise<BalancesAnswer> {
    return { success: true, data: await this.queries.execute(new GetBalancesQuery(account.id)) };
  }

  @Get('credits/ledger')
  @ApiOperation({ summary: 'Every movement of credits, newest first' })
  @ApiQuery({ name: 'balance', required: false, enum: [...BALANCES] })
  @ApiQuery({ name: 'page', required: false, example: 1 })
  @ApiQuery({ name: 'limit', required: false, example: 50 })
  @ApiOkResponse({ type: LedgerPageAnswer })
  @ApiErrors(LEDGER_ERRORS)
  async ledger(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<LedgerEntryView>> {
    const page = readPage(query);
    const list = new ListLedgerQuery(account.id, account.timeZone, readBalance(query), page.page, page.limit);
    const { entries, total } = await this.queries.execute(list);
    return paged(entries, page, total);
  }

  @Put('password')
  @ApiOperation({
    summary: 'Change the own password',
    description: 'Of the account, or of its user who is logged in. Every token issued before is refused: log in again.',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(PASSWORD_ERRORS)
  async password(
    @Body() body: ChangePasswordRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<DoneAnswer> {
    await this.commands.execute(new ChangePasswordCommand(account, body.current, body.new, clientIp(request)));
    return { success: true, message: 'Password updated successfully' };
  }
}
