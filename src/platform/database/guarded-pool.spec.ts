import { once } from 'node:events';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { createRequire } from 'node:module';
import type { PoolConnection, QueryError } from 'mysql2';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseWatch } from './database-watch.js';
import { guardedDriver } from './guarded-pool.js';
import { again } from './faults.js';

interface Served {
  stream: { destroy(): void };
  serverHandshake(options: Record<string, unknown>): void;
  /** `stmt_prepare`: a SET */
  on(event: 'query' | 'stmt_prepare', take: (sql: string) => void): void;
  on(event: 'error', take: () => void): void;
  /** of the next packet; each command begins at 0 */
  sequenceId: number;
  writeOk(): void;
  writeError(error: { message: string; code: number }): void;
}

const DEADLOCK = 1213;
const READ_ONLY = 1290;
const CUT = 0;
/** Its own types leave the server half out. */
const { createServer } = createRequire(import.meta.url)('mysql2') as {
  createServer: (take: (connection: Served) => void) => {
    listen(port: number, host: string): unknown;
    close(done: () => void): void;
    _server: NodeJS.EventEmitter & { address(): AddressInfo };
  };
};

const HANDSHAKE = {
  protocolVersion: 10,
  serverVersion: '10.11.0',
  connectionId: 1,
  statusFlags: 2,
  characterSet: 8,
  capabilityFlags: 0xffffff ^ 0x800,
};

/** Says yes to everything. */
const obedientServer = () =>
  createServer((connection) => {
    const answer = (): void => {
      connection.sequenceId = 1;
      connection.writeOk();
      connection.sequenceId = 0;
    };
    connection.on('error', () => undefined);
    connection.on('query', answer);
    connection.on('stmt_prepare', answer);
    connection.serverHandshake(HANDSHAKE);
  });

async function freePort(): Promise<number> {
  const server = createPlainServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('a server that refuses statements, as a node of a cluster does, or ends in the middle of them', () => {
  const received: string[] = [];
  /** the errors with which the next statements of this text end; `CUT` = the end of the connection */
  const refused = new Map<string, number[]>();
  let connections = 0;
  const server = createServer((connection) => {
    const served = ++connections;
    const answer = (sql: string): void => {
      received.push(sql.startsWith('SET') ? 'SET' : `${served} ${sql}`);
      const code = refused.get(sql)?.shift();
      if (code === CUT) return connection.stream.destroy();
      connection.sequenceId = 1;
      if (code !== undefined) connection.writeError({ message: 'Refused', code });
      else connection.writeOk();
      connection.sequenceId = 0;
    };
    connection.on('error', () => undefined);
    connection.on('query', answer);
    connection.on('stmt_prepare', answer);
    connection.serverHandshake(HANDSHAKE);
  });
  type Guarded = ReturnType<ReturnType<typeof guardedDriver>['createPool']>;
  let pool: Guarded;
  let connection: PoolConnection;

  const taken = (): Promise<PoolConnection> =>
    new Promise((resolve, reject) => {
      pool.getConnection((error, found) => (error ? reject(error) : resolve(found)));
    });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server._server, 'listening');
  });
  beforeEach(async () => {
    const { port } = server._server.address();
    connections = 0;
    pool = guardedDriver({ queryTimeout: 5_000, poolWait: 5_000 }).createPool({
      ...{ host: '127.0.0.1', port, user: 'x', connectionLimit: 2 },
    });
    connection = await taken();
  });
  afterEach(async () => {
    connection.destroy();
    await new Promise((resolve) => pool.end(resolve));
  });
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

  type Fault = QueryError & { code?: string };
  const say = (sql: string): Promise<number | string | undefined> => {
    received.length = 0;
    return new Promise((resolve) =>
      connection.query(sql, (error: Fault | null) => resolve(error?.errno ?? error?.code)),
    );
  };

  it.each([DEADLOCK, 1205, 1020])('hears a single statement again: %i', async (code) => {
    refused.set('UPDATE t', [code, code]);
    expect(await say('UPDATE t')).toBeUndefined();
    expect(received).toEqual(['1 UPDATE t', '1 UPDATE t', '1 UPDATE t']);
  });

  it('hears a COMMIT once: the transaction is lost, and its owner is told', async () => {
    await say('START TRANSACTION');
    await say('UPDATE t');
    refused.set('COMMIT', [DEADLOCK]);
    expect(await say('COMMIT')).toBe(DEADLOCK);
    expect(received).toEqual(['1 COMMIT']);
  });

  it.each([DEADLOCK, READ_ONLY, CUT])('hears no statement inside a transaction twice: %i', async (code) => {
    await say('START TRANSACTION');
    refused.set('UPDATE t', [code]);
    expect(await say('UPDATE t')).toBe(code === CUT ? 'PROTOCOL_CONNECTION_LOST' : code);
    expect(received).toEqual(['1 UPDATE t']);
  });

  it('hears single statements again after a transaction that could not begin', async () => {
    refused.set('START TRANSACTION', [DEADLOCK]);
    expect(await say('START TRANSACTION')).toBe(DEADLOCK);
    refused.set('UPDATE t', [DEADLOCK]);
    expect(await say('UPDATE t')).toBeUndefined();
  });

  it.each(['UPDATE t', 'SELECT 1'])('is left when it writes no more: %s goes to the next connection', async (sql) => {
    refused.set(sql, [READ_ONLY, 3032, 1836]);
    expect(await say(sql)).toBeUndefined();
    expect(received).toEqual([
      `1 ${sql}`,
      'SET',
      'SET',
      `2 ${sql}`,
      'SET',
      'SET',
      `3 ${sql}`,
      'SET',
      'SET',
      `4 ${sql}`,
    ]);
  });

  it('is left by all connections when it writes no more: those in use end with their use', async () => {
    const other = await taken();
    refused.set('UPDATE t', [READ_ONLY]);
    other.release(); // at rest
    expect(await say('UPDATE t')).toBeUndefined();
    const next = await taken();
    await new Promise((resolve) => next.query('SELECT 1', resolve));
    expect(received.at(-1)).toBe('3 SELECT 1');
    next.release();
  });

  it.each(['SELECT 1', again('UPDATE t')])('that was cut off is asked again by another connection: %s', async (sql) => {
    refused.set(sql, [CUT, CUT]);
    expect(await say(sql)).toBeUndefined();
    expect(received).toEqual([`1 ${sql}`, 'SET', 'SET', `2 ${sql}`, 'SET', 'SET', `3 ${sql}`]);
  });

  it.each([CUT, 1180, 1927, 1053, 3100, 3101, 3169])(
    'may have written: a statement without the mark is not run again after %i',
    async (code) => {
      refused.set('UPDATE t', [code]);
      expect(await say('UPDATE t')).toBe(code === CUT ? 'PROTOCOL_CONNECTION_LOST' : code);
      expect(received).toEqual(['1 UPDATE t']);
    },
  );

  it('has the last word: what it refuses is not asked again', async () => {
    refused.set('SELECT 1', [1064, 1064]);
    expect(await say('SELECT 1')).toBe(1064);
    refused.set('SELECT 1', [1317, 1317]);
    expect(await say('SELECT 1')).toBe(1317);
    expect(received).toEqual(['1 SELECT 1']);
    refused.clear();
  });
});

describe('a server that is away for a moment', () => {
  it('is waited for by those that it has served before, and by no others', async () => {
    const port = await freePort();
    const options = { host: '127.0.0.1', port, user: 'x', connectionLimit: 2 };
    const pool = guardedDriver({ queryTimeout: 5_000, poolWait: 5_000 }).createPool(options);
    const taken = (): Promise<PoolConnection> =>
      new Promise((resolve, reject) => {
        pool.getConnection((error, found) => (error ? reject(error) : resolve(found)));
      });
    await expect(taken()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const open = async () => {
      const server = obedientServer();
      server.listen(port, '127.0.0.1');
      await once(server._server, 'listening');
      return server;
    };
    const first = await open();
    const connection = await taken();
    connection.destroy();
    await new Promise<void>((resolve) => first.close(resolve));
    const waiting = Array.from({ length: 4 }, async () => (await taken()).release());
    const second = await open();
    await Promise.all(waiting);
    await new Promise((resolve) => pool.end(resolve));
    await new Promise<void>((resolve) => second.close(resolve));
  });

  it('is given up after the wait for a connection, by its own error', async () => {
    const port = await freePort();
    const server = obedientServer();
    server.listen(port, '127.0.0.1');
    await once(server._server, 'listening');
    const watch = new DatabaseWatch();
    const pool = guardedDriver({ queryTimeout: 5_000, poolWait: 500 }, watch).createPool({
      ...{ host: '127.0.0.1', port, user: 'x' },
    });
    const ask = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        pool.getConnection((error, found) => {
          if (error) return reject(error);
          found.destroy();
          resolve(null);
        });
      });
    await ask();
    await new Promise<void>((resolve) => server.close(resolve));
    const begun = performance.now();
    await expect(ask()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(performance.now() - begun).toBeGreaterThan(400);
    // A look whether it is there is answered at once.
    await expect(watch.ask()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await new Promise((resolve) => pool.end(resolve));
  });
});
