import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { FrontEnvironment } from '../../platform/config/index.js';
import { protocolErrors } from '../../platform/http/index.js';
import { Drain, Metrics } from '../../platform/observability/index.js';
import { constantTimeEqual } from '../../platform/security/index.js';
import { CellList, FRONT_ENVIRONMENT } from './cell-list.js';
import { Refusal, refusals } from './front.errors.js';

interface Page {
  status: number;
  type: string;
  text: string;
}

const json = (status: number, body: unknown): Page => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
});

const OWN: ReadonlySet<string> = new Set(['', '/health/live', '/health/ready', '/metrics', '/c']);

/** Pages of the front itself: probes, metrics, and the list of cells for staff. */
@Injectable()
export class OwnPages {
  constructor(
    private readonly cells: CellList,
    private readonly drain: Drain,
    private readonly metrics: Metrics,
    @Inject(FRONT_ENVIRONMENT)
    private readonly environment: Pick<FrontEnvironment, 'METRICS_TOKEN' | 'NODE_ENV'>,
  ) {}

  async answer(path: string, request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
    const page = path.toLowerCase().replace(/\/$/, '');
    if (!OWN.has(page)) throw refusals.unknownPath();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      throw new Refusal(protocolErrors.method.status, protocolErrors.method.code, protocolErrors.method.message);
    }
    const { status, type, text } = await this.page(page, request);
    response.writeHead(status, {
      // the application runs in every cell; the login finds the account's cell
      ...(page === '' ? { Location: '/app' } : {}),
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-store',
      'X-Request-Id': id,
      'Content-Security-Policy': "default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  private async page(path: string, request: IncomingMessage): Promise<Page> {
    if (path === '/health/live') return json(200, { status: 'ok' });
    if (path === '/health/ready') return this.readiness();
    if (path === '/metrics') return this.measured(request.headers.authorization);
    if (path === '') return { status: 302, type: 'text/plain', text: 'Found. Redirecting to /app' };
    if (path === '/c') return { status: 200, type: 'text/html', text: this.list() };
    throw refusals.unknownPath();
  }

  private readiness(): Page {
    const states = this.cells.letters.map((cell) => [cell, { status: this.cells.isUp(cell) ? 'up' : 'down' }]);
    const status = this.drain.begun ? 'shutting_down' : 'ok';
    return json(this.drain.begun ? 503 : 200, { status, details: Object.fromEntries(states) as unknown });
  }

  private async measured(authorization: string | undefined): Promise<Page> {
    const { METRICS_TOKEN: wanted, NODE_ENV } = this.environment;
    if (wanted === undefined) {
      if (NODE_ENV === 'production') throw refusals.unknownPath();
    } else if (!constantTimeEqual(authorization ?? '', `Bearer ${wanted}`))
      throw new Refusal(401, 'unauthorized', 'Unauthorized');
    return { status: 200, type: 'text/plain; version=0.0.4', text: await this.metrics.registry.metrics() };
  }

  private list(): string {
    const row = (cell: string): string =>
      `<li>${cell}: <a href="/c/${cell}/app">app</a> <a href="/c/${cell}/docs">docs</a></li>`;
    return `<!doctype html><title>Cells</title><ul>${this.cells.letters.map(row).join('')}</ul>`;
  }
}
