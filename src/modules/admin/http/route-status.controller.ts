import { Controller, Get, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors, LIST_ERRORS, ListQuery, type Paged, paged, readListPage } from '../../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../../accounts/index.js';
import { routeErrors } from '../admin.errors.js';
import { RouteStatusQuery } from '../queries/route-status.query.js';
import { RouteWaitingQuery } from '../queries/route-waiting.query.js';
import { RouteStatusAnswer, type RouteStatusData, RouteStatusPageAnswer } from './route-status.dto.js';
import { RouteWaitingAnswer } from './route-waiting.dto.js';

const STATUSES = { name: 'route-statuses', places: 'texts' } as const;

/** How routes stand (reference/admin#route-status). */
@ApiTags('Admin: routes')
@Admin()
@Controller('v6/api/admin/routes')
export class RouteStatusController {
  constructor(private readonly queries: QueryBus) {}

  @Get('status')
  @ApiOperation({ summary: 'How the routes stand, by name' })
  @ListQuery()
  @ApiOkResponse({ type: RouteStatusPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<RouteStatusData>> {
    const page = readListPage(STATUSES, query);
    return paged(STATUSES, page, await this.queries.execute(new RouteStatusQuery(page, account.timeZone)));
  }

  @Get(':name/status')
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({ summary: 'How a route stands: state, last error, what waits, what it carries, binds' })
  @ApiOkResponse({ type: RouteStatusAnswer })
  @ApiErrors(routeErrors.notFound)
  async show(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RouteStatusAnswer> {
    const { items } = await this.queries.execute(new RouteStatusQuery(name, account.timeZone));
    const [data] = items;
    if (!data) throw routeErrors.notFound();
    return { success: true, data };
  }

  @Get(':name/waiting')
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({ summary: 'Which campaigns wait on a route, those with the most recipients first' })
  @ApiOkResponse({ type: RouteWaitingAnswer })
  @ApiErrors(routeErrors.notFound)
  async waiting(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RouteWaitingAnswer> {
    return { success: true, ...(await this.queries.execute(new RouteWaitingQuery(name, account.timeZone))) };
  }
}
