import { createServer, get, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { DeliveryRecord } from '../../engine/index.js';
import { streamReport } from './report-stream.js';

const HEAD = {
  request_id: 'GSMCAMP_20260501_ABCDEF',
  summary: { requestid: 'x' },
  total_rows: 2,
  status_counts: { SENT: 2 },
};
const record = (index: number): DeliveryRecord => ({
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
