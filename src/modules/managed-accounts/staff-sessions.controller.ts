import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
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
  type AccountSessionData,
  AccountSessionPageAnswer,
  type Actor,
  Admin,
  CurrentActor,
  EndAccountSessionCommand,
  EndAccountSessionsCommand,
  ListAccountSessionsQuery,
  Confirmed,
  readActive,
  ResetSecondFactorCommand,
  SESSION_STATE_ERRORS,
  SessionStateQuery,
} from '../accounts/index.js';
import { ACCOUNT_ERRORS, CLOSED_BY_STAFF } from './managed-accounts.errors.js';

const SESSIONS = { name: 'sessions of an account', positions: 'ids' } as const;
const STAFFS = accountErrors.forbidden.because('sessions of staff, without being super');

@ApiTags('Admin: accounts')
@Admin({ resellers: true })
@ApiErrors(...ACCOUNT_ERRORS)
@ApiParam({ name: 'username', example: 'jane.doe' })
@Controller('v6/api/admin/accounts/:username/sessions')
export class AccountSessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The sessions of the account and of the people under it, newest first' })
  @SessionStateQuery()
  @ListQuery()
  @ApiOkResponse({ type: AccountSessionPageAnswer })
  @ApiErrors(...SESSION_STATE_ERRORS, ...LIST_ERRORS)
  async list(
    @Param('username') username: string,
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<AccountSessionData>> {
    const isActive = readActive(query['state']);
    const page = readListPage(SESSIONS, query);
    const listed = await this.queries.execute(new ListAccountSessionsQuery(account, username, isActive, page));
    return paged(SESSIONS, page, listed);
  }

  @Delete(':id')
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({ summary: 'End one of its sessions', description: 'Effective on every instance in 3 s.' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(STAFFS, CLOSED_BY_STAFF, accountErrors.sessionNotFound)
  async end(
    @Param('username') username: string,
    @Param('id') text: string,
    @CurrentActor() { account }: Actor,
  ): Promise<DoneAnswer> {
    await this.commands.execute(new EndAccountSessionCommand(account, username, readId(text) ?? 0));
    return { success: true, message: 'Session ended successfully' };
  }

  @Delete()
  @ApiOperation({
    summary: 'Sign it out everywhere, or one person under it',
    description: 'Its keys stay, and so do the sessions of others under it. Effective on every instance in 3 s.',
  })
  @ApiQuery({ name: 'user_id', required: false, type: Number, description: 'The person. Absent: the account itself' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(STAFFS, CLOSED_BY_STAFF, accountErrors.userNotFound)
  async endAll(
    @Param('username') username: string,
    @Query('user_id') user: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<DoneAnswer> {
    await this.commands.execute(new EndAccountSessionsCommand(account, username, readPerson(user)));
    return { success: true, message: 'Sessions ended successfully' };
  }
}

@ApiTags('Admin: accounts')
@Admin({ resellers: true })
@ApiErrors(...ACCOUNT_ERRORS)
@ApiParam({ name: 'username', example: 'jane.doe' })
@Controller('v6/api/admin/accounts/:username/second-factor')
export class AccountSecondFactorController {
  constructor(private readonly commands: CommandBus) {}

  @Delete()
  @Confirmed()
  @ApiOperation({
    summary: 'Remove the second factors of its login, or of one person under it, who lost them',
    description: 'Its sessions end: it logs in with the password, and sets up new ones.',
  })
  @ApiQuery({ name: 'user_id', required: false, type: Number, description: 'The person. Absent: the account itself' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(STAFFS, CLOSED_BY_STAFF, accountErrors.userNotFound)
  async reset(
    @Param('username') username: string,
    @Query('user_id') user: unknown,
    @CurrentActor() { account }: Actor,
  ): Promise<DoneAnswer> {
    await this.commands.execute(new ResetSecondFactorCommand(account, username, readPerson(user)));
    return { success: true, message: 'Second factors removed successfully' };
  }
}

/** null = the account itself; 0, which no person has, for what is no id. */
function readPerson(user: unknown): number | null {
  if (user === undefined || user === '') return null;
  return (typeof user === 'string' ? readId(user) : null) ?? 0;
}
