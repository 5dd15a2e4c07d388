import { Controller, Get, Headers, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors, Bodies, NoHead, OwnBody } from '../../../platform/http/index.js';
import { RateLimited } from '../../../platform/security/index.js';
import { Open } from '../../accounts/index.js';
import { AcceptProviderCallbackCommand } from '../commands/accept-provider-callback.command.js';
import { wrongCallback } from '../providers.errors.js';

const ACCEPTED = {
  schema: {
    type: 'object',
    required: ['success', 'receipts'],
    properties: { success: { type: 'boolean' }, receipts: { type: 'integer' } },
    example: { success: true, receipts: 1 },
  },
  description: 'How many receipts were taken',
};

/** Delivery receipts, and texts that people wrote back, as carriers send them by HTTP. The secret in the path, compared in constant time, is the sender's proof. */
@ApiTags('Provider callbacks')
@ApiParam({ name: 'channel', enum: ['sms', 'unofficial'] })
@ApiParam({ name: 'route', example: 'gateway-1' })
@ApiParam({ name: 'secret', description: 'last segment of the `callback_url` that the admin route shows' })
@Open('carriers prove themselves by the secret in the path')
@RateLimited('carrier')
@ApiErrors(wrongCallback.because('unknown route or wrong secret; nothing happens'))
@Controller('provider/:channel/:route/:secret')
export class ProviderCallbacksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly bodies: Bodies,
  ) {}

  @Post()
  @OwnBody()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Delivery receipts, as JSON or form',
    description:
      'Also texts that people wrote back, `{ from, text }` or as the `inbound` of the route says: STOP, UNSUBSCRIBE and START count for the stop list.',
  })
  @ApiBody({
    schema: {
      type: 'object',
      additionalProperties: true,
      example: { id: 'abc-1', status: 'delivered', to: '4915112345678' },
    },
  })
  @ApiOkResponse(ACCEPTED)
  post(
    @Param('channel') channel: string,
    @Param('route') route: string,
    @Param('secret') secret: string,
    @Query() query: Record<string, unknown>,
    @Headers() headers: Record<string, string | string[] | undefined>,
    @Req() request: Request,
  ): Promise<{ success: true; receipts: number }> {
    const body = async (): Promise<unknown> => (await this.bodies.readRaw(request)).value();
    return this.accept(
      new AcceptProviderCallbackCommand(channel, route, secret, { method: 'POST', query, headers }, body),
    );
  }

  @Get()
  @NoHead()
  @ApiOperation({ summary: 'A delivery receipt in the query' })
  @ApiOkResponse(ACCEPTED)
  get(
    @Param('channel') channel: string,
    @Param('route') route: string,
    @Param('secret') secret: string,
    @Query() query: Record<string, unknown>,
    @Headers() headers: Record<string, string | string[] | undefined>,
  ): Promise<{ success: true; receipts: number }> {
    return this.accept(
      new AcceptProviderCallbackCommand(channel, route, secret, { method: 'GET', query, headers }, () =>
        Promise.resolve(null),
      ),
    );
  }

  private async accept(command: AcceptProviderCallbackCommand): Promise<{ success: true; receipts: number }> {
    return { success: true, receipts: await this.commands.execute(command) };
  }
}
