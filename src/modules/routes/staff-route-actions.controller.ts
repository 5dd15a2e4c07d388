import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { codePoints, textOrNull } from '../../kernel/text.js';
import { ApiErrors } from '../../platform/http/index.js';
import { RateLimited } from '../../platform/security/index.js';
import { type Account, type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { audioErrors } from '../audio/index.js';
import { campaignErrors } from '../campaigns/index.js';
import { storageErrors } from '../quotas/index.js';
import { MoveRouteCommand, StopRouteCommand, TestRouteCommand } from './route-actions.commands.js';
import {
  MovedRouteAnswer,
  MoveRouteRequest,
  RouteTestAnswer,
  StartedRouteAnswer,
  StoppedRouteAnswer,
  StopRouteRequest,
  TestRouteRequest,
} from './route-status.dto.js';
import type { RouteAnswerData } from './routes.dto.js';
import { routeErrors } from './routes.errors.js';
import { ListRoutesQuery } from './routes.queries.js';

const NAME = { name: 'name', example: 'carrier-1' };
const LONGEST_REASON = 255;

/** Actions of staff on a route. */
@ApiTags('Admin: routes')
@Admin()
@Controller('v6/api/admin/routes/:name')
export class RouteActionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('stop')
  @HttpCode(200)
  @ApiParam(NAME)
  @ApiOperation({
    summary: 'Stop a route',
    description:
      'Within 2 s nothing leaves over it any more, on all workers: what waits stays, or goes over to the next route of its chain. Receipts go on coming in. Stopped it stays until it is started.',
  })
  @ApiBody({ type: StopRouteRequest, required: false })
  @ApiOkResponse({ type: StoppedRouteAnswer })
  @ApiErrors(
    fieldErrors.invalid.shown('reason').because('no text'),
    routeErrors.reasonTooLong,
    routeErrors.notFound,
    routeErrors.stoppedAlready,
  )
  async stop(
    @Param('name') name: string,
    @Body() body: StopRouteRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<StoppedRouteAnswer> {
    const reason = textOrNull(body.reason);
    if (reason !== null && codePoints(reason) > LONGEST_REASON) throw routeErrors.reasonTooLong();
    await this.commands.execute(new StopRouteCommand(account, name, { reason }));
    return { success: true, message: 'Route stopped successfully', data: await this.find(name, account) };
  }

  @Post('start')
  @HttpCode(200)
  @ApiParam(NAME)
  @ApiOperation({ summary: 'Let a stopped route carry again' })
  @ApiOkResponse({ type: StartedRouteAnswer })
  @ApiErrors(routeErrors.notFound, routeErrors.notStopped)
  async start(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<StartedRouteAnswer> {
    await this.commands.execute(new StopRouteCommand(account, name, null));
    return { success: true, message: 'Route started successfully', data: await this.find(name, account) };
  }

  @Post('move')
  @HttpCode(200)
  @ApiParam(NAME)
  @ApiOperation({
    summary: 'Move what waits on a route to another of its channel',
    description:
      'Never what may have left. Prices do not change; costs and reports follow the route that it leaves over. Answers within 30 s; ask again while `left_lanes` is not 0.',
  })
  @ApiBody({ type: MoveRouteRequest })
  @ApiOkResponse({ type: MovedRouteAnswer })
  @ApiErrors(
    fieldErrors.required.shown('to_route').because('missing'),
    fieldErrors.invalid.shown('request_id').because('no request id'),
    routeErrors.notFound,
    routeErrors.targetUnknown,
    routeErrors.targetChannel,
    routeErrors.targetStopped,
    campaignErrors.notFound,
  )
  async move(
    @Param('name') name: string,
    @Body() body: MoveRouteRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<MovedRouteAnswer> {
    const move = new MoveRouteCommand(account, name, body.to_route, textOrNull(body.request_id));
    return { success: true, message: 'Recipients moved successfully', data: await this.commands.execute(move) };
  }

  @Post('test')
  @HttpCode(200)
  @RateLimited('broadcast')
  @ApiParam(NAME)
  @ApiOperation({
    summary: 'Send one message over a route, to see whether it carries',
    description:
      'A campaign of your own account that costs no credits, over this route alone. Answers what the carrier said, after 20 s at most, and a few seconds after a carrier that cannot be reached; what has not left by then is cancelled.',
  })
  @ApiBody({ type: TestRouteRequest })
  @ApiOkResponse({ type: RouteTestAnswer })
  @ApiErrors(
    fieldErrors.required.shown('to').because('missing'),
    fieldErrors.invalid.shown('text').because('no text'),
    routeErrors.notFound,
    routeErrors.testNumber,
    routeErrors.testText,
    audioErrors.nothingToSay.because('voice: no speech came of the text'),
    storageErrors.full.because('voice: the speech would exceed STORAGE_PER_ACCOUNT of your own account'),
  )
  async test(
    @Param('name') name: string,
    @Body() body: TestRouteRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<RouteTestAnswer> {
    const test = new TestRouteCommand(account, name, body.to, textOrNull(body.text));
    return { success: true, data: await this.commands.execute(test) };
  }

  private async find(name: string, account: Account): Promise<RouteAnswerData> {
    const [route] = await this.queries.execute(new ListRoutesQuery(name, account));
    if (!route) throw routeErrors.notFound();
    return route;
  }
}
