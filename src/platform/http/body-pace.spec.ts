import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inPace } from './body-pace.js';

const KB = 1024;

describe('a body that others wait for', () => {
  let server: Server;
  /** what the reading of the body is waited for with */
  let more: Promise<void>;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    more = Promise.resolve();
    server = createServer((incoming, response) => void answer(incoming, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    vi.useRealTimers();
    server.closeAllConnections();
    server.close();
  });

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const read = async (): Promise<string> => {
      const body = await text(incoming);
      await more;
      return `read ${body.length}`;
    };
    const said = await inPace(incoming, response, read).catch(String);
    response.end(said);
  };

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
    expect(vi.getTimerCount()).toBe(0);
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
