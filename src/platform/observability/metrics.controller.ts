import {
  Controller,
  Get,
  Header,
  Headers,
  Inject,
  NotFoundException,
  SetMetadata,
  UnauthorizedException,
} from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { constantTimeEqual, RateLimited } from '../security/index.js';
import { Metrics } from './metrics.js';
import { OPEN_METADATA } from './open-metadata.js';

/** Prometheus. With `METRICS_TOKEN` it wants that token as bearer; without it, it is open outside production only. */
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
