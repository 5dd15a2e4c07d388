import { Body, Controller, Get, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { textOrNull } from '../../kernel/text.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, readListPage } from '../../platform/http/index.js';
import {
  type AccountChanges,
  type Actor,
  Admin,
  ChangeAccountCommand,
  CountOpenAccountsQuery,
  CreateAccountCommand,
  CurrentActor,
  FindAccountQuery,
  ListAccountsQuery,
  proofOf,
} from '../accounts/index.js';
import { AssertRoutesQuery } from '../routing/index.js';
import {
  AccountAnswer,
  AccountPageAnswer,
  ACCOUNTS,
  CHANGE_ACCOUNT_EXAMPLES,
  ChangeAccountRequest,
  ChangedAccountAnswer,
  CREATE_ACCOUNT_EXAMPLES,
  CreateAccountRequest,
  OpenAccountsAnswer,
  SEARCH,
} from './managed-accounts.dto.js';
import {
  ACCOUNT_ERRORS,
  CHANGE_ACCOUNT_ERRORS,
  CREATE_ACCOUNT_ERRORS,
  MANAGER_ERRORS,
} from './managed-accounts.errors.js';

/** Absent and null keep a value, except for the fields that may be empty: null (or '' for text) clears them. */
function changesOf(body: ChangeAccountRequest): AccountChanges {
  const {
    is_active,
    require_token,
    require_sender,
    refund_failed,
    refund_refused,
    public_lookup,
    strict_numbers,
    permissions,
    revoke_api_keys,
    revoke_users,
    revoke_created,
  } = body;
  const userType = textOrNull(body.user_type);
  const numberCheck = textOrNull(body.number_check);
  const password = textOrNull(body.password);
  return {
    ...(typeof is_active === 'boolean' ? { isActive: is_active } : {}),
    ...(body.expires_at === undefined ? {} : { expiresAt: textOrNull(body.expires_at) }),
    ...(body.parent_username === undefined ? {} : { parentUsername: textOrNull(body.parent_username) }),
    ...(userType === null ? {} : { userType }),
    ...(typeof require_token === 'boolean' ? { requireToken: require_token } : {}),
    ...(typeof require_sender === 'boolean' ? { requireSender: require_sender } : {}),
    ...(typeof refund_failed === 'boolean' ? { refundFailed: refund_failed } : {}),
    ...(typeof refund_refused === 'boolean' ? { refundRefused: refund_refused } : {}),
    ...(typeof public_lookup === 'boolean' ? { publicLookup: public_lookup } : {}),
    ...(body.time_zone === undefined ? {} : { timeZone: textOrNull(body.time_zone) }),
    ...(body.rate_plan === undefined ? {} : { ratePlan: textOrNull(body.rate_plan) }),
    ...(body.allowed_routes === undefined ? {} : { allowedRoutes: body.allowed_routes }),
    ...(body.released_fields ? { releasedFields: body.released_fields } : {}),
    ...(numberCheck === null ? {} : { numberCheck }),
    ...(body.country === undefined ? {} : { country: textOrNull(body.country) }),
    ...(typeof strict_numbers === 'boolean' ? { strictNumbers: strict_numbers } : {}),
    ...(permissions ? { permissions } : {}),
    ...(password === null
      ? {}
      : {
          password,
          revokeApiKeys: revoke_api_keys ?? false,
          revokeUsers: revoke_users ?? false,
          revokeCreated: revoke_created ?? false,
        }),
  };
}

@ApiTags('Admin: accounts')
@Admin({ resellers: true })
@Controller('v6/api/admin/accounts')
export class AccountsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Create an account',
    description:
      'With the default team, permissions and starting credits. Only super creates super, admin and reseller, and with `current_password`.',
  })
  @ApiBody({ type: CreateAccountRequest, examples: CREATE_ACCOUNT_EXAMPLES })
  @ApiCreatedResponse({ type: ChangedAccountAnswer })
  @ApiErrors(...CREATE_ACCOUNT_ERRORS)
  async create(
    @Body() body: CreateAccountRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<ChangedAccountAnswer> {
    const draft = {
      username: body.username,
      password: body.password,
      firstname: body.firstname,
      lastname: body.lastname,
      email: textOrNull(body.email),
      mobileNo: textOrNull(body.mobile_no),
      userType: textOrNull(body.user_type),
      parentUsername: textOrNull(body.parent_username),
      expiresAt: textOrNull(body.expires_at),
      isActive: body.is_active ?? true,
      timeZone: textOrNull(body.time_zone),
      country: textOrNull(body.country),
    };
    const created = await this.commands.execute(new CreateAccountCommand(account, draft, proofOf(body, request)));
    const data = await this.queries.execute(new FindAccountQuery(account, created.username));
    return { success: true, message: 'Account created successfully', data };
  }

  @Get()
  @ApiOperation({
    summary: 'List accounts, newest first',
    description: 'Times are in the zone of the account that asks.',
  })
  @ApiQuery(SEARCH)
  @ListQuery()
  @ApiOkResponse({ type: AccountPageAnswer })
  @ApiErrors(...MANAGER_ERRORS, ...LIST_ERRORS)
  async list(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<AccountPageAnswer> {
    const page = readListPage(ACCOUNTS, query);
    const list = new ListAccountsQuery(account, textOrNull(query['search']), page);
    return paged(ACCOUNTS, page, await this.queries.execute(list));
  }

  @Get(':username')
  @ApiParam({ name: 'username', example: 'jane.doe' })
  @ApiOperation({ summary: 'Show an account' })
  @ApiOkResponse({ type: AccountAnswer })
  @ApiErrors(...ACCOUNT_ERRORS)
  async show(@Param('username') username: string, @CurrentActor() { account }: Actor): Promise<AccountAnswer> {
    return { success: true, data: await this.queries.execute(new FindAccountQuery(account, username)) };
  }

  @Patch(':username')
  @ApiParam({ name: 'username', example: 'jane.doe' })
  @ApiOperation({
    summary: 'Change an account',
    description:
      'Absent fields stay. Effective on every instance in 3 s. To change an account of staff (super, admin, reseller), or to make one, takes `current_password` too.',
  })
  @ApiBody({ type: ChangeAccountRequest, examples: CHANGE_ACCOUNT_EXAMPLES })
  @ApiOkResponse({ type: ChangedAccountAnswer })
  @ApiErrors(...CHANGE_ACCOUNT_ERRORS)
  async change(
    @Param('username') username: string,
    @Body() body: ChangeAccountRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<ChangedAccountAnswer> {
    if (body.allowed_routes) await this.queries.execute(new AssertRoutesQuery(account, body.allowed_routes));
    const command = new ChangeAccountCommand(account, username, changesOf(body), proofOf(body, request));
    await this.commands.execute(command);
    const data = await this.queries.execute(new FindAccountQuery(account, username));
    return { success: true, message: 'Account updated successfully', data };
  }
}

/** Shows how many accounts can spend without a token (reference/admin#open-accounts). */
@ApiTags('Admin: accounts')
@Admin()
@Controller('v6/api/admin/open-accounts')
export class OpenAccountsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'Count the accounts to which a username alone sends' })
  @ApiOkResponse({ type: OpenAccountsAnswer })
  async count(): Promise<OpenAccountsAnswer> {
    return { success: true, data: await this.queries.execute(new CountOpenAccountsQuery()) };
  }
}
