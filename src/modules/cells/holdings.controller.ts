import { Controller, Headers, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { Bodies, errorSchema, OwnBody, unknownResource } from '../../platform/http/index.js';
import { constantTimeEqual, RateLimited } from '../../platform/security/index.js';
import { accountErrors, Open } from '../accounts/index.js';
import { HoldingsAnswer, HoldingsRequest, readHoldings } from './holdings.dto.js';
import { FindHoldingsQuery } from './holdings.queries.js';

/** Owner of these requests' body memory; no account has an empty name. */
const FRONT = '';
const ERROR = errorSchema('standard');

/** Queried by the front only, which does not expose it to customers. */
@ApiTags('Operations')
@RateLimited('none')
@Controller('cell')
export class HoldingsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly bodies: Bodies,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Post('holdings')
  @OwnBody()
  @HttpCode(200)
  @Open('the front has a token of its own, CELL_TOKEN')
  @ApiBearerAuth('metrics')
  @ApiOperation({
    summary: 'Which request ids, API keys and names this cell has',
    description: 'For the front of several cells, with `CELL_TOKEN` as bearer.',
  })
  @ApiBody({ type: HoldingsRequest })
  @ApiOkResponse({ type: HoldingsAnswer })
  @ApiResponse({ status: 400, description: 'A list that is none, or has over 500 entries', schema: ERROR })
  @ApiResponse({ status: 401, description: 'The bearer is not `CELL_TOKEN`', schema: ERROR })
  @ApiResponse({ status: 404, description: 'The API has no `CELL_TOKEN`', schema: ERROR })
  async find(@Req() request: Request, @Headers('authorization') authorization?: string): Promise<HoldingsAnswer> {
    const wanted = this.environment.CELL_TOKEN;
    if (wanted === undefined) throw unknownResource();
    if (!constantTimeEqual(authorization ?? '', `Bearer ${wanted}`)) throw accountErrors.invalidToken();
    await this.bodies.read(request, FRONT);
    return { success: true, data: await this.queries.execute(new FindHoldingsQuery(readHoldings(request.body))) };
  }
}
