import { Controller, Get, Header, Res, ServiceUnavailableException, SetMetadata } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { HealthCheckService, type HealthCheckResult, TypeOrmHealthIndicator } from '@nestjs/terminus';
import type { Response } from 'express';
import { RateLimited, RedisLink } from '../security/index.js';
import { Drain } from './drain.js';
import { OPEN_METADATA } from './open-metadata.js';

const DATABASE_TIMEOUT_MS = 1_500;

const STATES = { type: 'object', additionalProperties: { type: 'object' } };
const READINESS = {
  type: 'object',
  required: ['status', 'info', 'error', 'details'],
  properties: {
    status: { type: 'string', enum: ['ok', 'error', 'shutting_down'] },
    info: STATES,
    error: STATES,
    details: STATES,
  },
  example: {
    status: 'ok',
    info: { database: { status: 'up' } },
    error: {},
    details: { database: { status: 'up' }, redis: { status: 'up' } },
  },
};

/** Probes of orchestrators and load balancers. */
@ApiTags('Operations')
@RateLimited('none')
@SetMetadata(OPEN_METADATA, 'probes carry no credentials; the answer tells up or down and nothing else')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly redis: RedisLink,
    private readonly drain: Drain,
  ) {}

  /** The process runs. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'The process runs' })
  @ApiResponse({
    status: 200,
    schema: { type: 'object', required: ['status'], properties: { status: { type: 'string', example: 'ok' } } },
  })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 when the database answers and the process is not stopping. Redis is reported, and its absence is not fatal. */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'The process can serve: the database answers' })
  @ApiResponse({ status: 200, schema: READINESS })
  @ApiResponse({ status: 503, schema: READINESS, description: 'The database does not answer, or the process stops' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthCheckResult> {
    const [result, redis] = await Promise.all([this.checkDatabase(), this.redis.ping()]);
    const status = this.drain.begun ? 'shutting_down' : result.status;
    if (status !== 'ok') response.status(503);
    return { ...result, status, details: { ...result.details, redis: { status: redis ? 'up' : 'down' } } };
  }

  private async checkDatabase(): Promise<HealthCheckResult> {
    try {
      return await this.health.check([() => this.database.pingCheck('database', { timeout: DATABASE_TIMEOUT_MS })]);
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const down = { database: { status: 'down' as const } };
      return { status: 'error', info: {}, error: down, details: down };
    }
  }
}
