import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { readId } from '../../../kernel/ids.js';
import { textOrNull } from '../../../kernel/text.js';
import {
  ApiErrors,
  DoneAnswer,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
} from '../../../platform/http/index.js';
import { proofErrors, proofOf } from '../authentication/credentials.js';
import { type Actor, Authenticated, Confirmed, CurrentActor, Needs } from '../authentication/decorators.js';
import { accountErrors } from '../domain/account.errors.js';
import { CHANGE_USER_ERRORS, CREATE_USER_ERRORS, INVITE_ERRORS, LINK_ERRORS } from '../self-service.errors.js';
import { FindAssignedUserQuery, ListAssignedUsersQuery, ListMadeThingsQuery } from './access.queries.js';
import { InvitePersonCommand, MakeLinkCommand, WithdrawLinkCommand } from './links.commands.js';
import { invitationOf, InvitedUserAnswer, InviteUserRequest, LinkAnswer, MakeLinkRequest } from './links.dto.js';
import { MadeThingsAnswer, readRevoke, RemovalBody, RevokeQuery } from './made-things.dto.js';
import { SignOutCommand } from './sign-outs.commands.js';
import {
  type AssignedUserChanges,
  ChangeAssignedUserCommand,
  CreateAssignedUserCommand,
  RemoveAssignedUserCommand,
} from './users.commands.js';
import {
  ChangedUserAnswer,
  ChangeUserRequest,
  CreateUserRequest,
  UserAnswer,
  type UserAnswerData,
  UserPageAnswer,
} from './users.dto.js';

function userId(text: string): number {
  const id = readId(text);
  if (id === null) throw accountErrors.userNotFound();
  return id;
}

/** Absent and null keep a value, except that null or '' clears the e-mail. */
function changesOf(body: ChangeUserRequest): AssignedUserChanges {
  const [firstname, lastname, password] = [body.firstname, body.lastname, body.password].map(textOrNull);
  return {
    ...(firstname ? { firstname } : {}),
    ...(lastname ? { lastname } : {}),
    ...(body.email === undefined ? {} : { email: textOrNull(body.email) }),
    ...(typeof body.is_active === 'boolean' ? { isActive: body.is_active } : {}),
    ...(body.role ? { role: body.role } : {}),
    ...(password ? { password } : {}),
  };
}

const USERS = { name: 'users', positions: 'ids' } as const;

@ApiTags('Account')
@Authenticated({ apiKey: false })
@Needs('account')
@ApiErrors(accountErrors.permissionDenied)
@Controller('v6/api/account/users')
export class UsersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Confirmed()
  @ApiOperation({
    summary: 'Create a user under the account',
    description:
      'Logs in as accounts do; the token acts for the account, so it opens the account’s routes. Under an account of staff with `current_password`.',
  })
  @ApiCreatedResponse({ type: ChangedUserAnswer })
  @ApiErrors(...CREATE_USER_ERRORS)
  async create(
    @Body() body: CreateUserRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<ChangedUserAnswer> {
    const { username, password, firstname, lastname } = body;
    const draft = {
      ...{ username, password, firstname, lastname },
      email: textOrNull(body.email),
      ...(body.role && { role: body.role }),
    };
    const { id } = await this.commands.execute(new CreateAssignedUserCommand(account, draft, proofOf(body, request)));
    const data = await this.queries.execute(new FindAssignedUserQuery(account, id));
    return { success: true, message: 'User created successfully', data };
  }

  @Post('invitations')
  @ApiOperation({
    summary: 'Invite a person by a link',
    description:
      'The link is good once, for 72 hours, and is sent by e-mail where there is an address and a mail server; else it stands in this answer only.',
  })
  @ApiCreatedResponse({ type: InvitedUserAnswer })
  @ApiErrors(...INVITE_ERRORS)
  async invite(
    @Body() body: InviteUserRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<InvitedUserAnswer> {
    const command = new InvitePersonCommand(account, null, invitationOf(body), proofOf(body, request));
    return { success: true, message: 'User invited successfully', data: await this.commands.execute(command) };
  }

  @Post(':id/link')
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({
    summary: 'Make a link for a user',
    description:
      'To join, for a person who is invited (72 hours), else for a new password (24 hours). The former link of the user ends.',
  })
  @ApiCreatedResponse({ type: LinkAnswer })
  @ApiErrors(...LINK_ERRORS)
  async link(
    @Param('id') id: string,
    @Body() body: MakeLinkRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<LinkAnswer> {
    const login = { username: null, personId: userId(id) };
    const data = await this.commands.execute(new MakeLinkCommand(account, login, proofOf(body, request)));
    return { success: true, message: 'Link made successfully', data };
  }

  @Delete(':id/link')
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({ summary: 'Withdraw the link of a user' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(accountErrors.userNotFound, accountErrors.linkNotFound)
  async withdraw(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<DoneAnswer> {
    await this.commands.execute(new WithdrawLinkCommand(account, { username: null, personId: userId(id) }));
    return { success: true, message: 'Link withdrawn successfully' };
  }

  @Post(':id/sign-out')
  @HttpCode(200)
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({
    summary: 'Sign a user out',
    description: 'Every token of the user is refused on every instance in 3 s.',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(accountErrors.userNotFound)
  async signOut(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<DoneAnswer> {
    await this.commands.execute(new SignOutCommand(account, userId(id)));
    return { success: true, message: 'User signed out successfully' };
  }

  @Get()
  @ApiOperation({ summary: 'List the users, newest first' })
  @ListQuery()
  @ApiOkResponse({ type: UserPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<UserAnswerData>> {
    const page = readListPage(USERS, query);
    return paged(USERS, page, await this.queries.execute(new ListAssignedUsersQuery(account, page)));
  }

  @Get(':id')
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({ summary: 'Show a user' })
  @ApiOkResponse({ type: UserAnswer })
  @ApiErrors(accountErrors.userNotFound)
  async show(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<UserAnswer> {
    return { success: true, data: await this.queries.execute(new FindAssignedUserQuery(account, userId(id))) };
  }

  @Get(':id/created')
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({
    summary: 'What a user made that goes on by itself',
    description:
      'Webhooks, accounts of staff, and accounts of staff whose password it set. `DELETE …?revoke=true` ends them with the user.',
  })
  @ApiOkResponse({ type: MadeThingsAnswer })
  @ApiErrors(accountErrors.userNotFound)
  async created(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<MadeThingsAnswer> {
    const data = await this.queries.execute(new ListMadeThingsQuery(account, 'person', userId(id)));
    return { success: true, data };
  }

  @Patch(':id')
  @Confirmed()
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({
    summary: 'Change a user',
    description:
      'Absent fields stay. Made inactive, every token is refused on every instance in 3 s. Under an account of staff with `current_password`.',
  })
  @ApiOkResponse({ type: ChangedUserAnswer })
  @ApiErrors(...CHANGE_USER_ERRORS)
  async change(
    @Param('id') text: string,
    @Body() body: ChangeUserRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<ChangedUserAnswer> {
    const id = userId(text);
    await this.commands.execute(new ChangeAssignedUserCommand(account, id, changesOf(body), proofOf(body, request)));
    const data = await this.queries.execute(new FindAssignedUserQuery(account, id));
    return { success: true, message: 'User updated successfully', data };
  }

  @Delete(':id')
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({
    summary: 'Delete a user',
    description:
      'Every token is refused on every instance in 3 s; the names are free. What the person made stays, unless `revoke` says otherwise.',
  })
  @RevokeQuery()
  @ApiBody({ type: RemovalBody, required: false })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(accountErrors.userNotFound, ...proofErrors('with revoke, by an account of staff'))
  async remove(
    @Param('id') id: string,
    @Query('revoke') revoke: unknown,
    @Body() body: RemovalBody,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<DoneAnswer> {
    const proof = proofOf(body, request);
    await this.commands.execute(new RemoveAssignedUserCommand(account, userId(id), readRevoke(revoke), proof));
    return { success: true, message: 'User deleted successfully' };
  }
}
