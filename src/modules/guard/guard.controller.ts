import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { readId } from '../../kernel/ids.js';
import { textOrNull } from '../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import {
  accountErrors,
  type Actor,
  Admin,
  Authenticated,
  CurrentActor,
  FindManagedAccountQuery,
} from '../accounts/index.js';
import { MOST_LIMIT, PRESETS } from './guard-changes.js';
import { ChangeGuardCommand, ReleaseFreezeCommand } from './guard.commands.js';
import {
  ChangedGuardAnswer,
  ChangeGuardBody,
  type FreezeData,
  FreezePageAnswer,
  GuardAnswer,
  ReleasedFreezeAnswer,
} from './guard.dto.js';
import { guardErrors } from './guard.errors.js';
import { GetGuardQuery, ListFreezesQuery } from './guard.queries.js';

/** What an account may send, for its owner (reference/guard#own-limits). */
@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account/limits')
export class OwnLimitsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'What you may send to, and what is left of your limits' })
  @ApiOkResponse({ type: GuardAnswer })
  async show(@CurrentActor() { account }: Actor): Promise<GuardAnswer> {
    return { success: true, data: await this.queries.execute(new GetGuardQuery(account)) };
  }
}

const EXAMPLES = {
  strict: { summary: 'As a new account', value: { preset: 'strict' } },
  further: {
    summary: 'Two countries and 5,000 SMS a day',
    value: { countries: ['IN', 'GB'], limits: { sms: { per_day: 5_000 } } },
  },
  open: { summary: 'No terms', value: { preset: 'open' } },
};

/** The terms of an account, for staff (reference/guard#routes-of-staff). */
@ApiTags('Admin: accounts')
@Admin({ resellers: true })
@ApiErrors(accountErrors.permissionDenied, accountErrors.notFound)
@ApiParam({ name: 'username', example: 'jane.doe' })
@Controller('v6/api/admin/accounts/:username/guard')
export class GuardTermsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What it may send, and what is left of its limits' })
  @ApiOkResponse({ type: GuardAnswer })
  async show(@Param('username') username: string, @CurrentActor() { account }: Actor): Promise<GuardAnswer> {
    const target = await this.queries.execute(new FindManagedAccountQuery(account, username, 'see'));
    return { success: true, data: await this.queries.execute(new GetGuardQuery(target)) };
  }

  @Patch()
  @ApiOperation({
    summary: 'Change what it may send',
    description: 'Absent fields stay, null removes a limit. Effective on every instance in 3 s. Not for resellers.',
  })
  @ApiBody({ type: ChangeGuardBody, examples: EXAMPLES })
  @ApiOkResponse({ type: ChangedGuardAnswer })
  @ApiErrors(
    accountErrors.forbidden.because('a reseller; an account of staff, without being super'),
    fieldErrors.noWord.shown('preset', PRESETS).because('another word'),
    fieldErrors.noWholeNumber.shown('max_price', 0, MOST_LIMIT).because('likewise the other limits'),
    fieldErrors.invalid.shown('countries').because('likewise prefixes, special_prefixes, limits'),
  )
  async change(
    @Param('username') username: string,
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<ChangedGuardAnswer> {
    const changed = await this.commands.execute(new ChangeGuardCommand(account, username, body));
    const data = await this.queries.execute(new GetGuardQuery(changed));
    return { success: true, message: 'Guard updated successfully', data };
  }
}

const FREEZES = { name: 'freezes', positions: 'ids' } as const;
const STATUSES = ['active', 'all'] as const;

/** Prefixes to which accounts do not send for a while (reference/guard#velocity). */
@ApiTags('Admin: accounts')
@Admin()
@Controller('v6/api/admin/freezes')
export class FreezesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Frozen prefixes of all accounts, newest first' })
  @ApiQuery({ name: 'status', required: false, enum: [...STATUSES], description: 'all, where it is not given' })
  @ApiQuery({ name: 'username', required: false, example: 'jane.doe' })
  @ListQuery()
  @ApiOkResponse({ type: FreezePageAnswer })
  @ApiErrors(
    fieldErrors.noWord.shown('status', STATUSES).because('another word'),
    accountErrors.permissionDenied,
    accountErrors.notFound,
    ...LIST_ERRORS,
  )
  async list(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<Paged<FreezeData>> {
    const status = textOrNull(query['status']) ?? 'all';
    if (!STATUSES.some((known) => known === status)) throw fieldErrors.noWord('status', STATUSES);
    const page = readListPage(FREEZES, query);
    const username = textOrNull(query['username']);
    const of =
      username === null ? null : await this.queries.execute(new FindManagedAccountQuery(account, username, 'see'));
    return paged(FREEZES, page, await this.queries.execute(new ListFreezesQuery(of, status === 'active', page)));
  }

  @Post(':id/release')
  @HttpCode(200)
  @ApiParam({ name: 'id', type: Number, example: 373826482176001 })
  @ApiOperation({ summary: 'Release a frozen prefix: the account may send to it again' })
  @ApiOkResponse({ type: ReleasedFreezeAnswer })
  @ApiErrors(guardErrors.noFreeze)
  async release(@Param('id') text: string, @CurrentActor() { account }: Actor): Promise<ReleasedFreezeAnswer> {
    const data = await this.commands.execute(new ReleaseFreezeCommand(account, readId(text) ?? 0));
    return { success: true, message: 'Freeze released successfully', data };
  }
}
