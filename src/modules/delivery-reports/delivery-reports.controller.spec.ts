import { createServer, get, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { fieldsOf, readIdentifier, readSelection, streamReport } from './delivery-reports.controller.js';
import type { StatusLabels } from '../engine/index.js';

const REQUIRED = 'request_id is required';

describe('the identifier of a report (reference/delivery-reports#identifier)', () => {
  it('is the first that is not empty, each name in query or body', () => {
    const all = { request_id: 'a', requestid: 'b', provider_message_id: 'c', providermessageid: 'd' };
    expect(readIdentifier(all, {})).toBe('a');
    expect(readIdentifier({}, all)).toBe('a');
    expect(readIdentifier({ requestid: 'b' }, { request_id: 'a' })).toBe('a');
    expect(readIdentifier({ ...all, request_id: '' }, {})).toBe('b');
    expect(readIdentifier({ ...all, request_id: ' ', requestid: null }, {})).toBe('c');
    expect(readIdentifier({ providermessageid: 'd' }, { providerMessageId: 'e' })).toBe('d');
    expect(readIdentifier({ request_id: 'query' }, { request_id: 'body' })).toBe('query');
    expect(readIdentifier({}, { request_id: 4711 })).toBe('4711');
  });

  it('takes providerMessageId from the body alone', () => {
    expect(readIdentifier({}, { providerMessageId: 'e' })).toBe('e');
    expect(() => readIdentifier({ providerMessageId: 'e' }, {})).toThrow(REQUIRED);
  });

  it('is required, and neither list nor object nor truth value', () => {
    for (const value of [undefined, null, '', '  ', true, {}, [], ['a', 'b']]) {
      expect(() => readIdentifier({ request_id: value }, {})).toThrow(REQUIRED);
      expect(() => readIdentifier({}, { request_id: value })).toThrow(REQUIRED);
    }
  });
});

describe('the selection of records (reference/delivery-reports#selection)', () => {
  it('is everything by default', () => {
    expect(readSelection({}, {})).toEqual({});
    expect(readSelection({ status: '', page: ' ' }, {})).toEqual({});
  });

  it('reads status, page and limit from query or body, clamped', () => {
    expect(readSelection({ status: 'FAILED' }, { page: 2, limit: 10 })).toEqual({
      status: 'FAILED',
      page: { page: 2, limit: 10 },
    });
    expect(readSelection({ page: '3' }, {})).toEqual({ page: { page: 3, limit: 50 } });
    expect(readSelection({ limit: '5000' }, {})).toEqual({ page: { page: 1, limit: 1000 } });
    expect(readSelection({ page: '-1', limit: 'x' }, {})).toEqual({ page: { page: 1, limit: 50 } });
    expect(readSelection({ page: ['1', '2'], limit: {} }, {})).toEqual({ page: { page: 1, limit: 50 } });
  });
});

describe('fields', () => {
  it('come from objects alone', () => {
    for (const value of [null, undefined, 'text', 7, ['a'], true]) expect(fieldsOf(value)).toEqual({});
    expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
  });
});

const HEAD = {
  request_id: 'GSMCAMP_20260501_ABCDEF',
  summary: { requestid: 'x' },
  total_rows: 2,
  status_counts: { SENT: 2 },
};
const record = (index: number): ReturnType<StatusLabels['deliveryRecord']> => ({
  event: 'gsm.status.update',
  providerMessageId: HEAD.request_id,
  receiver: String(910_000_000_000 + index),
  status: 'SENT',
  status_code: 0,
  error_code: null,
  errorMessage: null,
});

async function* chunks(count: number, size: number, onRead?: () => void): AsyncGenerator<string> {
  for (let chunk = 0; chunk < count; chunk++) {
    onRead?.();
    const records = Array.from({ length: size }, (_, index) => record(chunk * size + index));
    yield await Promise.resolve(JSON.stringify(records).slice(1, -1));
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

const servers: Server[] = [];

async function serve(handle: (response: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer((_request, response) => {
    handle(response).catch((error: unknown) => {
      if (response.headersSent) return;
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('streaming a report', () => {
  it('is one JSON document, also without records', async () => {
    for (const [count, size] of [
      [0, 0],
      [1, 1],
      [3, 2],
    ] as const) {
      const url = await serve((response) => streamReport(response, HEAD, chunks(count, size)));
      const answer = await fetch(url);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const { request_id, ...data } = HEAD;
      const records = Array.from({ length: count * size }, (_, index) => record(index));
      expect(await answer.json()).toEqual({ success: true, request_id, data: { ...data, records } });
    }
  });

  it('throws a fault before the first byte', async () => {
    const url = await serve((response) =>
      streamReport(
        response,
        HEAD,
        (async function* () {
          await Promise.resolve();
          yield* [] as string[];
          throw new Error('no database');
        })(),
      ),
    );
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([500, 'Error: no database']);
  });

  it('cuts the connection on a later fault', async () => {
    const url = await serve((response) =>
      streamReport(
        response,
        HEAD,
        (async function* () {
          yield* chunks(1, 10);
          throw new Error('the database went away');
        })(),
      ),
    );
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
  });

  it('reads no further than the reader takes, and closes a reader that stalls', async () => {
    let read = 0;
    const closed = deferred();
    const url = await serve(async (response) => {
      await streamReport(
        response,
        HEAD,
        chunks(1_000, 2_000, () => read++),
        300,
      );
      closed.resolve();
    });
    const request = get(url);
    request.on('response', (answer) => answer.pause());
    request.on('error', () => undefined);
    await closed.promise;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(100);
  });

  it('stops reading when the reader goes away', async () => {
    let read = 0;
    const ended = deferred();
    const url = await serve(async (response) => {
      await streamReport(
        response,
        HEAD,
        chunks(1_000, 2_000, () => read++),
      );
      ended.resolve();
    });
    const request = get(url);
    request.on('response', () => request.destroy());
    request.on('error', () => undefined);
    await ended.promise;
    expect(read).toBeLessThan(1_000);
  });

  it('answers HEAD without reading the records', async () => {
    let read = 0;
    const url = await serve((response) =>
      streamReport(
        response,
        HEAD,
        chunks(50, 10, () => read++),
      ),
    );
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(read).toBe(1);
  });
});
