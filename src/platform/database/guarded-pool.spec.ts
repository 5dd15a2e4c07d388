import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import type { PoolConnection, QueryError } from 'mysql2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guardedDriver } from './guarded-pool.js';

interface Served {
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
/** Its own types leave the server half out. */
const { createServer } = createRequire(import.meta.url)('mysql2') as {
  createServer: (take: (connection: Served) => void) => {
    listen(port: number, host: string): unknown;
    close(done: () => void): void;
    _server: NodeJS.EventEmitter & { address(): AddressInfo };
  };
};

describe('a server that refuses statements with a deadlock, as a node of a cluster does at COMMIT', () => {
  const heard: string[] = [];
  const refused = new Map<string, number>();
  const server = createServer((connection) => {
    const answer = (sql: string): void => {
      heard.push(sql);
      const left = refused.get(sql) ?? 0;
      refused.set(sql, Math.max(0, left - 1));
      connection.sequenceId = 1;
      if (left > 0) connection.writeError({ message: 'Deadlock found', code: DEADLOCK });
      else connection.writeOk();
      connection.sequenceId = 0;
    };
    connection.on('error', () => undefined);
    connection.on('query', answer);
    connection.on('stmt_prepare', answer);
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: '10.11.0',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 8,
      capabilityFlags: 0xffffff ^ 0x800,
    });
  });
  let pool: ReturnType<ReturnType<typeof guardedDriver>['createPool']>;
  let connection: PoolConnection;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server._server, 'listening');
    const { port } = server._server.address();
    pool = guardedDriver({ queryTimeout: 5_000, poolWait: 5_000 }).createPool({ host: '127.0.0.1', port, user: 'x' });
    connection = await new Promise((resolve, reject) => {
      pool.getConnection((error, taken) => (error ? reject(error) : resolve(taken)));
    });
  });

  afterAll(async () => {
    connection.destroy();
    await new Promise((resolve) => pool.end(resolve));
    await new Promise<void>((resolve) => server.close(resolve));
  });

  const say = (sql: string): Promise<number | undefined> => {
    heard.length = 0;
    return new Promise((resolve) => connection.query(sql, (error: QueryError | null) => resolve(error?.errno)));
  };

  it('hears a single statement again', async () => {
    refused.set('UPDATE t', 2);
    expect(await say('UPDATE t')).toBeUndefined();
    expect(heard).toHaveLength(3);
  });

  it('hears a COMMIT once: the transaction is lost, and its owner is told', async () => {
    await say('START TRANSACTION');
    await say('UPDATE t');
    refused.set('COMMIT', 1);
    expect(await say('COMMIT')).toBe(DEADLOCK);
    expect(heard).toEqual(['COMMIT']);
  });

  it('hears no statement inside a transaction twice', async () => {
    await say('START TRANSACTION');
    refused.set('UPDATE t', 1);
    expect(await say('UPDATE t')).toBe(DEADLOCK);
    expect(heard).toEqual(['UPDATE t']);
    await say('ROLLBACK');
  });

  it('hears single statements again after a transaction that could not begin', async () => {
    refused.set('START TRANSACTION', 1);
    expect(await say('START TRANSACTION')).toBe(DEADLOCK);
    refused.set('UPDATE t', 1);
    expect(await say('UPDATE t')).toBeUndefined();
  });
});
