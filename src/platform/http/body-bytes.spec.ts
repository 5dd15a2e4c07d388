import { once } from 'node:events';
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANONYMOUS_PACE, inPace, LARGE_PACE, type Pace } from './body-bytes.js';
import { createHttpServer } from './http-server.js';

const KB = 1024;

describe('a body that others wait for', () => {
  let server: Server;
  /** what the reading of the body is waited for with */
  let more: Promise<void>;
  let pace: Pace;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    more = Promise.resolve();
    pace = LARGE_PACE;
    server = createHttpServer((incoming, response) => void answer(incoming, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    vi.useRealTimers();
    server.closeAllConnections();
    server.close();
  });

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const read = async (signal?: AbortSignal): Promise<string> => {
      const body = await Promise.race([text(incoming), aborted(signal)]);
      await more;
      return `read ${body.length}`;
    };
    const said = await inPace(incoming, pace, read).catch(String);
    response.end(said);
  };

  const aborted = (signal?: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

  /** A body in chunks, of which so much has come. */
  const begin = async (bytes: number) => {
    const begun = once(server, 'request') as Promise<[IncomingMessage]>;
    const out = request({ port: (server.address() as AddressInfo).port, method: 'POST' });
    const answered = (once(out, 'response') as Promise<[IncomingMessage]>).then(async ([incoming]) => ({
      said: await text(incoming),
      connection: incoming.headers.connection,
    }));
    out.on('error', () => undefined); // the connection ends while it still writes
    out.write('x'.repeat(bytes));
    const [incoming] = await begun;
    await vi.waitFor(() => expect(incoming.socket.bytesRead).toBeGreaterThan(bytes));
    return { incoming, out, answered };
  };

  it('is refused after ten seconds of nothing, and its connection ends', async () => {
    const { out, answered } = await begin(1);
    vi.advanceTimersByTime(10_000);
    const closed = once(out, 'close');
    vi.advanceTimersByTime(1_000);
    expect(await answered).toEqual({ said: 'AppError: Request body comes too slowly', connection: 'close' });
    await closed;
    await vi.waitFor(() => {
      vi.advanceTimersByTime(20); // what the client still sends is thrown away in turns
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  it('is waited for as long as it brings 256 KB a second', async () => {
    // what comes with the head is not counted
    const second = 256 * KB;
    const { out, answered } = await begin(4 * second);
    vi.advanceTimersByTime(13_000);
    out.end();
    expect(await answered).toMatchObject({ said: `read ${4 * second}` });
    const late = await begin(4 * second);
    vi.advanceTimersByTime(15_000);
    expect(await late.answered).toMatchObject({ said: 'AppError: Request body comes too slowly' });
  });

  it('is not too slow while what has come of it waits to be read', async () => {
    const server = createHttpServer((incoming, response) => {
      const read = async (signal?: AbortSignal): Promise<string> => {
        await Promise.race([more, aborted(signal)]);
        return `read ${(await text(incoming)).length}`;
      };
      void inPace(incoming, pace, read)
        .catch(String)
        .then((said) => response.end(said));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    let goOn = (): void => undefined;
    more = new Promise((resolve) => (goOn = resolve));
    const begun = once(server, 'request') as Promise<[IncomingMessage]>;
    const out = request({ port: (server.address() as AddressInfo).port, method: 'POST' });
    const answered = once(out, 'response') as Promise<[IncomingMessage]>;
    out.write('x');
    const [incoming] = await begun;
    await vi.waitFor(() => expect(incoming.readableLength).toBe(1));
    vi.advanceTimersByTime(60_000);
    goOn();
    out.end();
    expect(await text((await answered)[0])).toBe('read 1');
    server.close();
  });

  it('of a caller who is not known is waited for half a minute, whatever its pace', async () => {
    pace = ANONYMOUS_PACE;
    const { answered } = await begin(30 * 16 * KB);
    const said: unknown[] = [];
    void answered.then((answer) => said.push(answer));
    vi.advanceTimersByTime(30_000);
    await yieldToOthers();
    expect(said).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(await answered).toMatchObject({ said: 'AppError: Request body comes too slowly' });
  });

  it('is not too slow once all of it is there, however long it is looked at', async () => {
    let end = (): void => undefined;
    more = new Promise((resolve) => (end = resolve));
    const { incoming, out, answered } = await begin(1);
    out.end();
    await vi.waitFor(() => expect(incoming.complete).toBe(true));
    vi.advanceTimersByTime(60_000);
    end();
    expect(await answered).toMatchObject({ said: 'read 1' });
  });
});
