import { setTimeout as sleep } from 'node:timers/promises';
import {
  Controller,
  Get,
  Header,
  Headers,
  Inject,
  NotFoundException,
  Res,
  ServiceUnavailableException,
  SetMetadata,
  UnauthorizedException,
} from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type HealthCheckResult, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import type { Response } from 'express';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { DatabaseWatch } from '../database/index.js';
import { RedisLink } from '../redis/index.js';
import { constantTimeEqual, RateLimited } from '../security/index.js';
import { Metrics } from './metrics.js';
import { Drain } from './start-and-stop.js';

/** Metadata of routes without authentication: the reason (also written by `@Open` of the accounts module). */
export const OPEN_METADATA = 'switchboard:open';

/** A probe waits this long for the database, then uses its last answer. */
const PATIENCE_MS = 1_500;

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

/** declared in `platform/http`, which depends on this folder */
const ERROR = { $ref: '#/components/schemas/Error' };

const liveness = (status: 'ok' | 'stuck') => ({
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: [status] } },
  example: { status },
});

@ApiTags('Operations')
@RateLimited('none')
@SetMetadata(OPEN_METADATA, 'probes carry no credentials; the answer tells up or down and nothing else')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseWatch,
    private readonly redis: RedisLink,
    private readonly drain: Drain,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** 503 when no database call has ended for `LIVE_SILENCE`, else 200. */
  @Get('live')
  @ApiOperation({ summary: 'The process runs and gets on' })
  @ApiResponse({ status: 200, schema: liveness('ok') })
  @ApiResponse({ status: 503, schema: liveness('stuck'), description: 'No progress for a minute (`LIVE_SILENCE`)' })
  live(@Res({ passthrough: true }) response: Response): { status: 'ok' | 'stuck' } {
    const stuck = this.database.stuckMs > this.environment.LIVE_SILENCE;
    if (stuck) response.status(503);
    return { status: stuck ? 'stuck' : 'ok' };
  }

  /** 200 while the process is not stopping and the database answered within `READY_SILENCE`; Redis is reported only. */
  @Get('ready')
  @RateLimited('user') // queries both servers; concurrent probes share one query
  @ApiOperation({ summary: 'The process can serve: the database answers' })
  @ApiResponse({ status: 200, schema: READINESS })
  @ApiResponse({ status: 503, schema: READINESS, description: 'The database does not answer, or the process stops' })
  @ApiResponse({ status: 429, description: 'Over `USER_RATE_LIMIT` a minute (API only)', schema: ERROR })
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthCheckResult> {
    const [result, redis] = await Promise.all([this.checkDatabase(), this.redis.ping()]);
    const status = this.drain.begun ? 'shutting_down' : result.status;
    if (status !== 'ok') response.status(503);
    return { ...result, status, details: { ...result.details, redis: { status: redis ? 'up' : 'down' } } };
  }

  private async checkDatabase(): Promise<HealthCheckResult> {
    const check = this.indicators.check('database');
    try {
      return await this.health.check([async () => ((await this.isDatabaseUp()) ? check.up() : check.down())]);
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const down = { database: { status: 'down' as const } };
      return { status: 'error', info: {}, error: down, details: down };
    }
  }

  private async isDatabaseUp(): Promise<boolean> {
    const since = performance.now();
    const answered = this.database.ask().then(
      () => true,
      () => performance.now() - since >= PATIENCE_MS, // otherwise it was refused at once
    );
    const unrefused = await Promise.race([answered, sleep(PATIENCE_MS, true, { ref: false })]);
    return unrefused && this.database.silentMs < this.environment.READY_SILENCE;
  }
}

/** Prometheus. Needs `METRICS_TOKEN` as bearer; without the variable it is open outside production only. */
@ApiTags('Operations')
@RateLimited('none')
@SetMetadata(OPEN_METADATA, 'Prometheus has a token of its own, METRICS_TOKEN')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Get()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiBearerAuth('metrics')
  @ApiOperation({ summary: 'Metrics in the text format of Prometheus' })
  @ApiResponse({ status: 200, content: { 'text/plain': { schema: { type: 'string' } } } })
  @ApiResponse({ status: 401, description: 'The bearer token is not METRICS_TOKEN' })
  @ApiResponse({ status: 404, description: 'Production without METRICS_TOKEN' })
  read(@Headers('authorization') authorization?: string): Promise<string> {
    const wanted = this.environment.METRICS_TOKEN;
    if (wanted !== undefined) {
      if (!constantTimeEqual(authorization ?? '', `Bearer ${wanted}`)) throw new UnauthorizedException();
    } else if (this.environment.NODE_ENV === 'production') throw new NotFoundException();
    return this.metrics.registry.metrics();
  }
}
