import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { readId } from '../../kernel/ids.js';
import {
  ApiErrors,
  DoneAnswer,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
} from '../../platform/http/index.js';
import {
  accountErrors,
  type Actor,
  Admin,
  AllMadeThingsAnswer,
  type ApiKeyAnswerData,
  ApiKeyPageAnswer,
  CurrentActor,
  ListAllMadeThingsQuery,
  ListMadeThingsQuery,
  ListManagedApiKeysQuery,
  ListManagedUsersQuery,
  MadeThingsAnswer,
  readRevoke,
  RevokeManagedApiKeyCommand,
  RevokeQuery,
  type UserAnswerData,
  UserPageAnswer,
} from '../accounts/index.js';
import { ACCOUNT_ERRORS, CLOSED_BY_STAFF } from './managed-accounts.errors.js';

const KEYS = { name: 'api-keys of an account', positions: 'ids' } as const;
const USERS = { name: 'users of an account', positions: 'ids' } as const;

@ApiTags('Admin: accounts')
@Admin({ resellers: true })
@ApiErrors(...ACCOUNT_ERRORS)
@ApiParam({ name: 'username', example: 'jane.doe' })
@Controller('v6/api/admin/accounts/:username')
export class AccountAccessController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('api-keys')
  @ApiOperation({ summary: 'Its API keys, newest first', description: 'The keys themselves are not shown.' })
  @ListQuery()
  @ApiOkResponse({ type: ApiKeyPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async keys(
    @Param('username') username: string,
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<ApiKeyAnswerData>> {
    const page = readListPage(KEYS, query);
    return paged(KEYS, page, await this.queries.execute(new ListManagedApiKeysQuery(account, username, page)));
  }

  @Get('created')
  @ApiOperation({
    summary: 'What its keys and people made that goes on by itself',
    description: '`revoke_created` of a new password ends it, with the keys and people that are revoked.',
  })
  @ApiOkResponse({ type: AllMadeThingsAnswer })
  async allCreated(
    @Param('username') username: string,
    @CurrentActor() { account }: Actor,
  ): Promise<AllMadeThingsAnswer> {
    return { success: true, data: await this.queries.execute(new ListAllMadeThingsQuery(account, username)) };
  }

  @Get('api-keys/:id/created')
  @ApiParam({ name: 'id', type: Number, example: 3 })
  @ApiOperation({
    summary: 'What one of its API keys made that goes on by itself',
    description: 'Webhooks. `DELETE …?revoke=true` disables them with the key.',
  })
  @ApiOkResponse({ type: MadeThingsAnswer })
  @ApiErrors(accountErrors.apiKeyNotFound)
  async created(
    @Param('username') username: string,
    @Param('id') text: string,
    @CurrentActor() { account }: Actor,
  ): Promise<MadeThingsAnswer> {
    const made = new ListMadeThingsQuery(account, 'key', readId(text) ?? 0, username);
    return { success: true, data: await this.queries.execute(made) };
  }

  @Delete('api-keys/:id')
  @ApiParam({ name: 'id', type: Number, example: 3 })
  @ApiOperation({ summary: 'Revoke one of its API keys', description: 'Effective on every instance in 3 s.' })
  @RevokeQuery()
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(
    accountErrors.forbidden.because('a key of staff, without being super'),
    CLOSED_BY_STAFF,
    accountErrors.apiKeyNotFound,
  )
  async revoke(
    @Param('username') username: string,
    @Param('id') text: string,
    @Query('revoke') revoke: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<DoneAnswer> {
    // An invalid id becomes 0, which matches no key, so that the account is checked first.
    await this.commands.execute(
      new RevokeManagedApiKeyCommand(account, username, readId(text) ?? 0, readRevoke(revoke)),
    );
    return { success: true, message: 'API key revoked successfully' };
  }

  @Get('users')
  @ApiOperation({ summary: 'The people under it, newest first' })
  @ListQuery()
  @ApiOkResponse({ type: UserPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async users(
    @Param('username') username: string,
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<UserAnswerData>> {
    const page = readListPage(USERS, query);
    return paged(USERS, page, await this.queries.execute(new ListManagedUsersQuery(account, username, page)));
  }
}
