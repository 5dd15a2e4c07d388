import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../../accounts/index.js';
import { routeErrors } from '../admin.errors.js';
import { PutRouteCostsCommand } from '../commands/put-route-costs.command.js';
import { FindRouteCostsQuery } from '../queries/find-route-costs.query.js';
import {
  costFaults,
  PutRouteCostsBody,
  readCosts,
  RemovedRouteCostsAnswer,
  RouteCostsAnswer,
  SavedRouteCostsAnswer,
} from './route-cost.dto.js';

/** What the carriers ask (reference/routing#costs). */
@ApiTags('Admin: routes')
@Admin()
@Controller('v6/api/admin/routes/:name/costs')
export class RouteCostsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({ summary: 'Show what a route costs, by prefix' })
  @ApiOkResponse({ type: RouteCostsAnswer })
  @ApiErrors(routeErrors.notFound, routeErrors.noCosts)
  async show(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RouteCostsAnswer> {
    return { success: true, data: await this.queries.execute(new FindRouteCostsQuery(name, account.timeZone)) };
  }

  @Put()
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({
    summary: 'Replace what a route costs',
    description: 'Counts for what leaves from 2 s later on, by the longest prefix; what has left keeps its price.',
  })
  @ApiBody({ type: PutRouteCostsBody })
  @ApiOkResponse({ type: SavedRouteCostsAnswer })
  @ApiErrors(...Object.values(costFaults), routeErrors.notFound)
  async put(
    @Param('name') name: string,
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<SavedRouteCostsAnswer> {
    await this.commands.execute(new PutRouteCostsCommand(account, name, readCosts(body)));
    const data = await this.queries.execute(new FindRouteCostsQuery(name, account.timeZone));
    return { success: true, message: 'Route costs saved successfully', data };
  }

  @Delete()
  @ApiParam({ name: 'name', example: 'carrier-1' })
  @ApiOperation({ summary: 'Remove what a route costs; what it has cost stays counted' })
  @ApiOkResponse({ type: RemovedRouteCostsAnswer })
  @ApiErrors(routeErrors.notFound, routeErrors.noCosts)
  async remove(@Param('name') name: string, @CurrentActor() { account }: Actor): Promise<RemovedRouteCostsAnswer> {
    await this.commands.execute(new PutRouteCostsCommand(account, name, null));
    return { success: true, message: 'Route costs deleted successfully' };
  }
}
