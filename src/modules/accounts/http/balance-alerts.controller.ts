import { Body, Controller, Get, Put } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/index.js';
import {
  BALANCE_ALERT_ERRORS,
  BALANCE_ALERTS_BODY,
  BalanceAlertsAnswer,
  GetBalanceAlertsQuery,
  readThresholds,
  SavedBalanceAlertsAnswer,
} from '../../credits/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { SetBalanceAlertsCommand } from '../commands/set-balance-alerts.command.js';
import { Authenticated } from '../authentication/decorators.js';

/** Below which balances the acting account wants to be told. */
@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account/balance-alerts')
export class BalanceAlertsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Below which balances you are told' })
  @ApiOkResponse({ type: BalanceAlertsAnswer })
  async show(@CurrentActor() { account }: Actor): Promise<BalanceAlertsAnswer> {
    return { success: true, data: await this.queries.execute(new GetBalanceAlertsQuery(account.id)) };
  }

  @Put()
  @ApiOperation({
    summary: 'Choose below which balances you are told',
    description:
      'By the webhook event `account.balance.low`, when a send, or a move of credits by a reseller, takes a balance below its threshold. Absent or null is off.',
  })
  @ApiBody(BALANCE_ALERTS_BODY)
  @ApiOkResponse({ type: SavedBalanceAlertsAnswer })
  @ApiErrors(...BALANCE_ALERT_ERRORS)
  async save(
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<SavedBalanceAlertsAnswer> {
    const data = readThresholds(body);
    await this.commands.execute(new SetBalanceAlertsCommand(account, data));
    return { success: true, message: 'Balance alerts saved successfully', data };
  }
}
