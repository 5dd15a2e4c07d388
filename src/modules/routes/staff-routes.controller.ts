import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { partOf } from '../../kernel/lists.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { type Account, type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { DRIVERS } from '../providers/index.js';
import {
  RouteStatusAnswer,
  type RouteStatusData,
  RouteStatusPageAnswer,
  RouteWaitingAnswer,
} from './route-status.dto.js';
import { RouteStatusQuery, RouteWaitingQuery } from './route-status.queries.js';
import { PutRouteCommand, RemoveRouteCommand, RotateCallbackSecretCommand } from './routes.commands.js';
import {
  PutRouteRequest,
  RemovedRouteAnswer,
  RotatedCallbackAnswer,
  RouteAnswer,
  type RouteAnswerData,
  RoutePageAnswer,
  SavedRouteAnswer,
} from './routes.dto.js';
import { PUT_ROUTE_ERRORS, routeErrors } from './routes.errors.js';
import { ListRoutesQuery } from './routes.queries.js';

const ROUTE_EXAMPLES = Object.fromEntries(
  Object.entries(DRIVERS).map(
    ([
      driver,
      {
        example: { summary, route },
      },
    ]) => {
      const { channel, ...rest } = route;
      return [driver, { summary, value: { channel, driver, ...rest } }];
    },
  ),
);

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Routes of this name would hide `GET /routes/status`. */
const STATUS = 'status';

const ROUTES = { name: 'routes', positions: 'texts' } as const;

/** Routes to the carriers. */
@ApiTags('Admin: routes')
@Admin()
@Controller('v6/api/admin/routes')
export class RoutesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List routes, by name' })
  @ListQuery()
  @ApiOkResponse({ type: RoutePageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<RouteAnswerData>> {
    const page = readListPage(ROUTES, query);
    const routes = await this.queries.execute(new ListRoutesQuery(null, account));
    return paged(
      ROUTES,
      page,
      partOf(routes, ({ name }) => name, page),
    );
  }

  @Get(':name')
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({ summary: 'Show a route; secrets read `***`' })
  @ApiOkResponse({ type: RouteAnswer })
  @ApiErrors(routeErrors.notFound)
  async show(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RouteAnswer> {
    return { success: true, data: await this.find(name, account) };
  }

  @Put(':name')
  @ApiParam({ name: 'name', example: 'carrier-1', description: '1 to 64 of A-Z a-z 0-9 . _ -, other than `status`' })
  @ApiOperation({
    summary: 'Create or change a route',
    description:
      'Workers take it up within seconds. `config` is replaced as a whole; `***` keeps a secret, as long as the address stays: host, port, URL (without its query), system_id, account_sid, and whether TLS is used and verified. Absent `messages_per_second`, `binds` and `is_default` stay as they are.',
  })
  @ApiBody({
    type: PutRouteRequest,
    examples: ROUTE_EXAMPLES,
  })
  @ApiOkResponse({ type: SavedRouteAnswer })
  @ApiErrors(...PUT_ROUTE_ERRORS)
  async put(
    @Param('name') name: string,
    @Body() body: PutRouteRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<SavedRouteAnswer> {
    if (!NAME.test(name) || name === STATUS) throw routeErrors.name();
    const { channel, driver, config, messages_per_second: messagesPerSecond, binds } = body;
    const isDefault = body.is_default ?? undefined;
    await this.commands.execute(
      new PutRouteCommand(account, name, { channel, driver, config, messagesPerSecond, binds, isDefault }),
    );
    return { success: true, message: 'Route saved successfully', data: await this.find(name, account) };
  }

  @Post(':name/rotate-callback-secret')
  @HttpCode(200)
  @ApiParam({ name: 'name', example: 'gateway-1' })
  @ApiOperation({
    summary: 'A new secret in the callback address',
    description: 'For 24 hours callbacks to the address before are taken too; one from before that no more.',
  })
  @ApiOkResponse({ type: RotatedCallbackAnswer })
  @ApiErrors(routeErrors.notFound, routeErrors.noCallback)
  async rotate(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RotatedCallbackAnswer> {
    const data = await this.commands.execute(new RotateCallbackSecretCommand(account, name));
    return { success: true, message: 'Callback secret rotated successfully', data };
  }

  @Delete(':name')
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({ summary: 'Remove a route' })
  @ApiOkResponse({ type: RemovedRouteAnswer })
  @ApiErrors(routeErrors.notFound, routeErrors.named, routeErrors.inUse)
  async remove(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RemovedRouteAnswer> {
    await this.commands.execute(new RemoveRouteCommand(account, name));
    return { success: true, message: 'Route deleted successfully' };
  }

  private async find(name: string, account: Account): Promise<RouteAnswerData> {
    const [route] = await this.queries.execute(new ListRoutesQuery(name, account));
    if (!route) throw routeErrors.notFound();
    return route;
  }
}

const STATUSES = { name: 'route-statuses', positions: 'texts' } as const;

/** Status of routes (reference/admin#route-status). */
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
