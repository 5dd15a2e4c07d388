import { Body, Controller, Get, Patch, Put, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors, ApiErrorsOf, LIST_ERRORS, ListQuery, paged, readListPage } from '../../platform/http/index.js';
import { clientIp } from '../../platform/security/index.js';
import {
  BALANCE_ALERT_ERRORS,
  BALANCE_ALERTS_BODY,
  BalanceAlertsAnswer,
  BALANCES,
  BalancesAnswer,
  creditErrors,
  GetBalanceAlertsQuery,
  GetBalancesQuery,
  GetLedgerOpeningQuery,
  GetUsageQuery,
  LedgerPageAnswer,
  ListLedgerQuery,
  readBalance,
  readThresholds,
  readUsage,
  SavedBalanceAlertsAnswer,
  USAGE_CSV,
  USAGE_ERRORS,
  USAGE_GROUPS,
  usageCsv,
  UsageRoute,
  wantsCsv,
} from '../credits/index.js';
import { ListAllMadeThingsQuery } from './access/access.queries.js';
import { AllMadeThingsAnswer } from './access/made-things.dto.js';
import {
  type Actor,
  Authenticated,
  CurrentActor,
  ForLimitedSessions,
  Needs,
  TestKeys,
} from './authentication/decorators.js';
import {
  ChangePasswordCommand,
  ChooseSettingsCommand,
  ChooseSecurityCommand,
  SetBalanceAlertsCommand,
} from './own-account.commands.js';
import {
  ChangePasswordRequest,
  ChosenSecurityAnswer,
  NumberCheckAnswer,
  NumberCheckRequest,
  NumbersAnswer,
  NumbersRequest,
  OwnAccountAnswer,
  OwnUsagePageAnswer,
  PasswordAnswer,
  SecurityAnswer,
  SecurityRequest,
  TimeZoneAnswer,
  TimeZoneRequest,
} from './own-account.dto.js';
import { FindOwnAccountQuery, FindOwnSecurityQuery, GetStorageQuery } from './own-account.queries.js';
import {
  NUMBER_CHECK_ERRORS,
  NUMBERS_ERRORS,
  PASSWORD_ERRORS,
  SECURITY_ERRORS,
  TIME_ZONE_ERRORS,
} from './self-service.errors.js';

const LEDGER = { name: 'ledger', positions: 'ids' } as const;

@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account')
export class OwnAccountController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Needs('self')
  @ForLimitedSessions()
  @TestKeys()
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

const USAGE = { name: 'usage', positions: 'texts' } as const;

@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account/usage')
export class OwnUsageController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'What was charged and refunded, by day, channel, country, campaign or sender',
    description:
      'Equal to the ledger to the credit; a group has one row for each balance that paid. `storage` shows what the account stores.',
  })
  @ListQuery()
  @UsageRoute(USAGE_GROUPS, OwnUsagePageAnswer)
  @ApiErrors(...USAGE_ERRORS, ...LIST_ERRORS)
  async usage(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OwnUsagePageAnswer | string> {
    const selection = readUsage(query, USAGE_GROUPS);
    if (wantsCsv(query, (types) => request.accepts(types))) {
      const { items } = await this.queries.execute(new GetUsageQuery(account.id, selection, null));
      response.setHeader('Content-Type', USAGE_CSV);
      return usageCsv(selection, items);
    }
    const page = readListPage(USAGE, query);
    const listed = await this.queries.execute(new GetUsageQuery(account.id, selection, page));
    const storage = await this.queries.execute(new GetStorageQuery(account.id));
    return { ...paged(USAGE, page, listed), ...selection, storage };
  }
}

@ApiTags('Account')
@Authenticated({ apiKey: false })
@Controller('v6/api/account')
export class OwnPasswordController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('created')
  @Needs('account')
  @ApiOperation({
    summary: 'What the keys and people made that goes on by itself',
    description: '`revoke_created` of a password change ends it, with the keys and people that are revoked.',
  })
  @ApiOkResponse({ type: AllMadeThingsAnswer })
  async created(@CurrentActor() { account }: Actor): Promise<AllMadeThingsAnswer> {
    return { success: true, data: await this.queries.execute(new ListAllMadeThingsQuery(account)) };
  }

  @Put('password')
  @Needs('self')
  @ApiOperation({
    summary: 'Change the own password',
    description:
      'Of the account, or of its user who is logged in. Every token issued before is refused: log in again. Keys and people stay, are listed, and end where you say so, with what they made.',
  })
  @ApiOkResponse({ type: PasswordAnswer })
  @ApiErrors(...PASSWORD_ERRORS)
  async password(
    @Body() body: ChangePasswordRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<PasswordAnswer> {
    const revocations = {
      apiKeys: body.revoke_api_keys ?? false,
      users: body.revoke_users ?? false,
      created: body.revoke_created ?? false,
    };
    const command = new ChangePasswordCommand(account, body.current, body.new, clientIp(request), revocations);
    return { success: true, message: 'Password updated successfully', ...(await this.commands.execute(command)) };
  }
}

@ApiTags('Account')
@Authenticated({ apiKey: false })
@Controller('v6/api/account/security')
export class SecurityController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  // keys are not taken, and every login may read
  @Get()
  @ApiErrorsOf('right')
  @ApiOperation({ summary: 'What those may do who come without a token' })
  @ApiOkResponse({ type: SecurityAnswer })
  async show(@CurrentActor() { account }: Actor): Promise<SecurityAnswer> {
    return { success: true, data: await this.queries.execute(new FindOwnSecurityQuery(account)) };
  }

  @Patch()
  @Needs('account')
  @ApiOperation({
    summary: 'Choose what those may do who come without a token',
    description:
      'Closes the two broadcasts to a username in the body, or takes it from some addresses only, and closes reports and templates. An empty body leaves all as it is: that is a choice too, and ends the notice of the first page.',
  })
  @ApiOkResponse({ type: ChosenSecurityAnswer })
  @ApiErrors(...SECURITY_ERRORS)
  async choose(@Body() body: SecurityRequest, @CurrentActor() { account }: Actor): Promise<ChosenSecurityAnswer> {
    const { require_token: token, protect_reports: reports, body_username_addresses: addresses } = body;
    await this.commands.execute(
      new ChooseSecurityCommand(account, {
        ...(typeof token === 'boolean' && { requireToken: token }),
        ...(typeof reports === 'boolean' && { protectReports: reports }),
        ...(addresses && { bodyUsernameAddresses: addresses }),
      }),
    );
    const data = await this.queries.execute(new FindOwnSecurityQuery(account));
    return { success: true, message: 'Security saved successfully', data };
  }
}

@ApiTags('Account')
@Authenticated()
@Needs('account')
@Controller('v6/api/account')
export class OwnNumbersController {
  constructor(private readonly commands: CommandBus) {}

  @Put('number-check')
  @ApiOperation({
    summary: 'Choose what becomes of numbers that there are not',
    description:
      '`refuse` refuses a personalised send that has one, `warn` names them in the answer, `off` checks none. The legacy routes never check. `GET /v6/api/account` shows it.',
  })
  @ApiOkResponse({ type: NumberCheckAnswer })
  @ApiErrors(...NUMBER_CHECK_ERRORS)
  async saveCheck(
    @Body() { number_check }: NumberCheckRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<NumberCheckAnswer> {
    await this.commands.execute(new ChooseSettingsCommand(account, { numberCheck: number_check }));
    return { success: true, message: 'Number check saved successfully', data: { number_check } };
  }

  @Patch('numbers')
  @ApiOperation({
    summary: 'Choose how numbers are read and checked',
    description:
      'By `country` national numbers become international. With `strict_numbers` the specified endpoints refuse what the others refuse. `GET /v6/api/account` shows all three.',
  })
  @ApiOkResponse({ type: NumbersAnswer })
  @ApiErrors(...NUMBERS_ERRORS)
  async save(@Body() body: NumbersRequest, @CurrentActor() { account }: Actor): Promise<NumbersAnswer> {
    const { number_check: numberCheck, country, strict_numbers: strictNumbers } = body;
    const chosen = await this.commands.execute(
      new ChooseSettingsCommand(account, {
        ...(numberCheck && { numberCheck }),
        ...(country !== undefined && { country }),
        ...(typeof strictNumbers === 'boolean' && { strictNumbers }),
      }),
    );
    const data = {
      number_check: chosen.numberCheck,
      country: chosen.country,
      strict_numbers: chosen.strictNumbers,
    };
    return { success: true, message: 'Numbers saved successfully', data };
  }

  @Put('time-zone')
  @ApiOperation({
    summary: 'Choose the time zone of the account',
    description:
      'In which its times are shown, and read where they have no zone of their own. Scheduled campaigns keep their moment. `GET /v6/api/account` shows it.',
  })
  @ApiOkResponse({ type: TimeZoneAnswer })
  @ApiErrors(...TIME_ZONE_ERRORS)
  async saveTimeZone(
    @Body() { time_zone: zone }: TimeZoneRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<TimeZoneAnswer> {
    const { timeZone } = await this.commands.execute(new ChooseSettingsCommand(account, { timeZone: zone }));
    return { success: true, message: 'Time zone saved successfully', data: { time_zone: timeZone } };
  }
}

@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account/balance-alerts')
export class BalanceAlertsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Balances below which you are notified' })
  @ApiOkResponse({ type: BalanceAlertsAnswer })
  async show(@CurrentActor() { account }: Actor): Promise<BalanceAlertsAnswer> {
    return { success: true, data: await this.queries.execute(new GetBalanceAlertsQuery(account.id)) };
  }

  @Put()
  @Needs('manage')
  @ApiOperation({
    summary: 'Choose the balances below which you are notified',
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
