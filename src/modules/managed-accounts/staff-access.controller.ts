import { Body, Controller, Delete, Get, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
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
  INVITE_ERRORS,
  invitationOf,
  InvitedUserAnswer,
  InvitePersonCommand,
  InviteUserRequest,
  LINK_ERRORS,
  LinkAnswer,
  ListAllMadeThingsQuery,
  ListMadeThingsQuery,
  ListManagedApiKeysQuery,
  ListManagedUsersQuery,
  MakeLinkCommand,
  MakeLinkRequest,
  proofOf,
  MadeThingsAnswer,
  readRevoke,
  RevokeManagedApiKeyCommand,
  RevokeQuery,
  type UserAnswerData,
  UserPageAnswer,
} from '../accounts/index.js';
import { ACCOUNT_ERRORS, CLOSED_BY_STAFF } from './managed-accounts.errors.js';

const STAFFS = accountErrors.forbidden.because('an account of staff, without being super');
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

  @Post('users')
  @ApiOperation({
    summary: 'Invite a person under it by a link',
    description: 'As the owner invites: by e-mail, or the link stands in this answer only. 72 hours.',
  })
  @ApiCreatedResponse({ type: InvitedUserAnswer })
  @ApiErrors(STAFFS, CLOSED_BY_STAFF, ...INVITE_ERRORS)
  async invite(
    @Param('username') username: string,
    @Body() body: InviteUserRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<InvitedUserAnswer> {
    const command = new InvitePersonCommand(account, username, invitationOf(body), proofOf(body, request));
    return { success: true, message: 'User invited successfully', data: await this.commands.execute(command) };
  }

  @Post('link')
  @ApiOperation({
    summary: 'Make a link to set its password',
    description: 'By e-mail, or the link stands in this answer only. 24 hours, once. Keys stay, every token ends.',
  })
  @ApiCreatedResponse({ type: LinkAnswer })
  @ApiErrors(STAFFS, CLOSED_BY_STAFF, ...LINK_ERRORS.slice(1))
  async link(
    @Param('username') username: string,
    @Body() body: MakeLinkRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<LinkAnswer> {
    const command = new MakeLinkCommand(account, { username, personId: null }, proofOf(body, request));
    return { success: true, message: 'Link made successfully', data: await this.commands.execute(command) };
  }

  @Post('users/:id/link')
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({ summary: 'Make a link for a person under it', description: 'To join, or to set a new password.' })
  @ApiCreatedResponse({ type: LinkAnswer })
  @ApiErrors(STAFFS, CLOSED_BY_STAFF, ...LINK_ERRORS)
  async personLink(
    @Param('username') username: string,
    @Param('id') id: string,
    @Body() body: MakeLinkRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<LinkAnswer> {
    const command = new MakeLinkCommand(account, { username, personId: readId(id) ?? 0 }, proofOf(body, request));
    return { success: true, message: 'Link made successfully', data: await this.commands.execute(command) };
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
