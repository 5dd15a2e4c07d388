import { EventEmitter } from 'node:events';
import type { INestApplicationContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { describe, expect, it } from 'vitest';
import { createLogger, ROOT_LOGGER } from './logging.js';
import { requestLog, requestSpans } from './request-log.js';
import { NO_TRACING, type SpanOptions } from './tracing.js';

/** The log lines of one request for a path. */
function logged(path: string): string {
  const written: string[] = [];
  const logger = createLogger({ LOG_LEVEL: 'info' }, { write: (line) => void written.push(line) });
  const metrics = { requests: { labels: () => ({ observe: () => undefined }) } };
  const app = { get: (token: unknown) => (token === ROOT_LOGGER ? logger : metrics) };
  const response = Object.assign(new EventEmitter(), { statusCode: 403, writableFinished: true });
  const request = { method: 'POST', path, ip: '127.0.0.1', route: { path: '/provider/:channel/:route/:secret' } };
  requestLog(app as unknown as INestApplicationContext)(
    request as unknown as Request,
    response as unknown as Response,
    () => undefined,
  );
  response.emit('close');
  return written.join('');
}

describe('the line of a request', () => {
  it.each(['/provider/sms/gateway/hunter2', '/PROVIDER/sms/gateway/hunter2', '/Provider/sms/gateway/hunter2/'])(
    'of %s holds no secret, in any case in which the route matches',
    (path) => {
      expect(logged(path)).not.toContain('hunter2');
      expect(logged(path)).toContain('/provider/:channel/:route/:secret');
    },
  );

  it('holds these fields and no others, since none of them is hidden', () => {
    const line = JSON.parse(logged('/v6/api/campaigns')) as Record<string, unknown>;
    expect(Object.keys(line)).toEqual(['level', 'time', 'method', 'path', 'status', 'ms', 'ip', 'msg']);
    expect(line).toMatchObject({ level: 30, method: 'POST', status: 403, ip: '127.0.0.1', msg: 'request' });
  });

  it('of another path holds the path', () => {
    expect(logged('/webhook/api/getGSMreport.php')).toContain('/webhook/api/getGSMreport.php');
  });
});

const GIVEN = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Spans that one request begins. */
function begun(trusted: boolean, path: string, traceparent?: string): SpanOptions[] {
  const started: SpanOptions[] = [];
  const tracing = {
    ...NO_TRACING,
    start: (name: string, options: SpanOptions = {}) => {
      started.push(options);
      return NO_TRACING.start(name, options);
    },
  };
  const request = { path, method: 'GET', headers: { traceparent } } as unknown as Request;
  requestSpans(tracing, trusted).begin(request, new EventEmitter() as Response, () => undefined);
  return started;
}

describe('requestSpans', () => {
  it('goes on with the trace of a trusted caller alone', () => {
    expect(begun(true, '/x', GIVEN)).toMatchObject([{ kind: 'server', parent: GIVEN }]);
    expect(begun(false, '/x', GIVEN)).toMatchObject([{ parent: null }]);
    expect(begun(true, '/x', 'nonsense')).toMatchObject([{ parent: null }]);
    expect(begun(true, '/x')).toMatchObject([{ parent: null }]);
  });

  it('tells nothing of probes', () => {
    expect(begun(true, '/health/live', GIVEN)).toEqual([]);
    expect(begun(true, '/metrics', GIVEN)).toEqual([]);
  });
});
