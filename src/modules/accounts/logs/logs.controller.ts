import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../../kernel/errors.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, readListPage } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs } from '../authentication/decorators.js';
import { LOG_KINDS, type LogKind, LogPageAnswer } from './logs.dto.js';
import { ListOwnLogQuery } from './logs.queries.js';

const LOG = { name: 'log', positions: 'texts' } as const;

@ApiTags('Account')
@Authenticated({ apiKey: false })
@Needs('account')
@Controller('v6/api/account/log')
export class OwnLogController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'What the account, its people and its keys changed and sent, and who logged in, newest first',
    description:
      'Also what staff changed on it. Logins are kept for 90 days, a second behind; sends as long as their campaigns.',
  })
  @ApiQuery({ name: 'kind', required: false, enum: [...LOG_KINDS], description: 'One of them alone' })
  @ListQuery()
  @ApiOkResponse({ type: LogPageAnswer })
  @ApiErrors(fieldErrors.noWord.shown('kind', LOG_KINDS).because('another word'), ...LIST_ERRORS)
  async list(@Query() query: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<LogPageAnswer> {
    const kind = readKind(query['kind']);
    const page = readListPage(LOG, query);
    return paged(LOG, page, await this.queries.execute(new ListOwnLogQuery(account, kind, page)));
  }
}

function readKind(value: unknown): LogKind | null {
  if (value === undefined || value === '') return null;
  const kind = LOG_KINDS.find((word) => word === value);
  if (kind === undefined) throw fieldErrors.noWord('kind', LOG_KINDS);
  return kind;
}
