import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { describe, expect, it } from 'vitest';
import { requestSpans } from './request-span.js';
import { NO_TRACING, type SpanPlace } from './tracing.js';

const GIVEN = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Spans that one request begins. */
function begun(trusted: boolean, path: string, traceparent?: string): SpanPlace[] {
  const places: SpanPlace[] = [];
  const tracing = {
    ...NO_TRACING,
    start: (name: string, place: SpanPlace = {}) => {
      places.push(place);
      return NO_TRACING.start(name, place);
    },
  };
  const request = { path, method: 'GET', headers: { traceparent } } as unknown as Request;
  requestSpans(tracing, trusted).begin(request, new EventEmitter() as Response, () => undefined);
  return places;
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
