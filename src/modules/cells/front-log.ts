import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Metrics, ROOT_LOGGER, safeError } from '../../platform/observability/index.js';

const SECRET_PATH = /^\/provider\//i;

export interface WatchedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  id: string;
  ip: string;
  /** the cell that answers; '' = the front itself */
  cell: string;
}

/** The metric and the log lines of requests at the front. */
@Injectable()
export class FrontLog {
  private readonly durations;

  constructor(
    metrics: Metrics,
    @Inject(ROOT_LOGGER) private readonly logger: Logger,
  ) {
    this.durations = metrics.histogram(
      'front_request_duration_seconds',
      'Time from the request to the end of its answer, by the cell that gave it',
      ['cell', 'status'],
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    );
  }

  /** Measures and logs the request when its answer ends. */
  watch(watched: WatchedRequest, path: string): void {
    const { request, response, id, ip } = watched;
    const begun = performance.now();
    response.once('close', () => {
      const ms = performance.now() - begun;
      const { cell } = watched;
      const status = response.statusCode;
      if (cell !== '') this.durations.labels(cell, String(status)).observe(ms / 1000);
      if (!this.logger.isLevelEnabled('info')) return;
      // the query may contain a password, a callback's path a secret
      const shown = SECRET_PATH.test(path) ? '/provider/…' : path;
      const line = {
        requestId: id,
        method: request.method,
        path: shown,
        status,
        ms: Math.round(ms * 10) / 10,
        ip,
        cell,
      };
      this.logger.info(line, response.writableFinished ? 'request' : 'request broken off');
    });
  }

  fault(text: string, error: unknown, about: { requestId: string; cell?: string }): void {
    this.logger.error({ ...about, err: safeError(error) }, text);
  }
}
