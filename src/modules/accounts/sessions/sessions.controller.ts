import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { readId } from '../../../kernel/ids.js';
import {
  ApiErrors,
  DoneAnswer,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
} from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs } from '../authentication/decorators.js';
import { accountErrors } from '../domain/account.errors.js';
import { EndSessionCommand, EndSessionsCommand } from './sessions.commands.js';
import {
  readActive,
  SESSION_STATE_ERRORS,
  type SessionData,
  SessionPageAnswer,
  SessionStateQuery,
} from './sessions.dto.js';
import { ListSessionsQuery } from './sessions.queries.js';

const SESSIONS = { name: 'sessions', positions: 'ids' } as const;

@ApiTags('Account')
@Authenticated({ apiKey: false })
@Needs('self')
@Controller('v6/api/account/sessions')
export class SessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the sessions of the own login, newest first',
    description: 'Of the account, or of its user who is logged in. Kept for 37 days; the newest 1,000.',
  })
  @SessionStateQuery()
  @ListQuery()
  @ApiOkResponse({ type: SessionPageAnswer })
  @ApiErrors(...SESSION_STATE_ERRORS, ...LIST_ERRORS)
  async list(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<Paged<SessionData>> {
    const isActive = readActive(query['state']);
    const page = readListPage(SESSIONS, query);
    return paged(SESSIONS, page, await this.queries.execute(new ListSessionsQuery(account, isActive, page)));
  }

  @Delete(':id')
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({ summary: 'End a session of the own login', description: 'Effective on every instance in 3 s.' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(accountErrors.sessionNotFound)
  async end(@Param('id') text: string, @CurrentActor() { account }: Actor): Promise<DoneAnswer> {
    await this.commands.execute(new EndSessionCommand(account, readId(text) ?? 0));
    return { success: true, message: 'Session ended successfully' };
  }

  @Delete()
  @ApiOperation({
    summary: 'End all other sessions of the own login',
    description: 'API keys stay. Effective on every instance in 3 s.',
  })
  @ApiQuery({
    name: 'own',
    required: false,
    enum: ['true', 'false'],
    description: 'true: the session of this request too',
  })
  @ApiOkResponse({ type: DoneAnswer })
  async endAll(@Query('own') own: unknown, @CurrentActor() { account }: Actor): Promise<DoneAnswer> {
    await this.commands.execute(new EndSessionsCommand(account, own === 'true' || own === '1'));
    return { success: true, message: 'Sessions ended successfully' };
  }
}
