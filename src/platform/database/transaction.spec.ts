import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dataSourceOptions } from './data-source.js';
import { inTransaction } from './transaction.js';

interface Served {
  serverHandshake(options: Record<string, unknown>): void;
  on(event: 'query' | 'stmt_prepare' | 'error', take: (sql: string) => void): void;
  /** of the next packet; each command begins at 0 */
  sequenceId: number;
  writeOk(): void;
  writeError(error: { message: string; code: number }): void;
  writeTextResult(rows: object[], columns: object[]): void;
}
/** Its own types leave the server half out. */
const { createServer } = createRequire(import.meta.url)('mysql2') as {
  createServer: (take: (connection: Served) => void) => {
    listen(port: number, host: string): unknown;
    close(done: () => void): void;
    _server: NodeJS.EventEmitter & { address(): AddressInfo };
  };
};
const HANDSHAKE = { protocolVersion: 10, serverVersion: '9.7.4', connectionId: 1, statusFlags: 2, characterSet: 8 };
const column = (name: string) => ({
  ...{ catalog: 'def', schema: '', table: '', orgTable: '', name, orgName: name },
  ...{ characterSet: 33, columnLength: 100, columnType: 253, flags: 0, decimals: 0 },
});

describe('a COMMIT that a leaving node answers with a fault', () => {
  const LEFT_GROUP = 3101;
  const READ_ONLY = 1290;
  const NOT_A_MEMBER = 3100;
  /** faults of the look-ups' writes to come: by nodes that do not write, or are no members */
  let refusals: number[] = [];
  /** whether the group has the transaction */
  let isThere = true;
  let commits = 0;
  let lookUps: string[] = [];
  /** What a server of the group, whichever it is, says to this. */
  const answer = (sql: string): number | object[] => {
    if (sql === 'COMMIT') return ++commits === 1 ? LEFT_GROUP : [];
    if (/version\(\)/i.test(sql)) return [{ version: '9.7.4' }];
    if (sql.includes('INSERT INTO transaction_marks')) {
      const refusal = refusals.shift();
      lookUps.push(refusal === undefined ? 'writes' : `refuses to write: ${refusal}`);
      return refusal ?? [];
    }
    if (!sql.includes('LOCK IN SHARE MODE')) return [];
    const writes = lookUps.at(-1) === 'writes';
    lookUps.push('reads');
    // a node that does not write has not applied it yet
    return writes && isThere ? [{ found: 1 }] : [{}].slice(1);
  };
  const server = createServer((connection) => {
    const heard = (sql: string): void => {
      const said = answer(sql);
      connection.sequenceId = 1;
      if (typeof said === 'number') connection.writeError({ message: 'Refused', code: said });
      else if (said.length === 0 && !/SELECT/.test(sql)) connection.writeOk();
      else connection.writeTextResult(said, Object.keys(said[0] ?? { found: 1 }).map(column));
      connection.sequenceId = 0;
    };
    connection.on('error', () => undefined);
    connection.on('query', heard);
    connection.on('stmt_prepare', heard);
    connection.serverHandshake({ ...HANDSHAKE, capabilityFlags: 0xffffff ^ 0x800 });
  });
  let dataSource: DataSource;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server._server, 'listening');
    const { port } = server._server.address();
    dataSource = await new DataSource(dataSourceOptions(`mysql://x@127.0.0.1:${port}/x`, 2)).initialize();
  });
  beforeEach(() => {
    refusals = [];
    commits = 0;
    lookUps = [];
  });
  afterAll(async () => {
    await dataSource.destroy();
    await new Promise<void>((resolve) => server.close(resolve));
  });

  const runs = async (): Promise<number> => {
    let count = 0;
    const committed = () => ({ table: 't', where: { id: 1 } });
    await inTransaction(dataSource, (tx) => (count++, tx.query('UPDATE t')), { committed });
    return count;
  };

  it('is done where the others have it: it is looked up, not run again', async () => {
    isThere = true;
    expect(await runs()).toBe(1);
    expect(lookUps).toEqual(['writes', 'reads']);
  });

  it('is run again where they do not', async () => {
    isThere = false;
    expect(await runs()).toBe(2);
  });

  it('is never looked up on a node that does not write: it may lack what the others have', async () => {
    isThere = true;
    refusals = [NOT_A_MEMBER, READ_ONLY];
    expect(await runs()).toBe(1);
    expect(lookUps).toEqual([
      `refuses to write: ${NOT_A_MEMBER}`,
      `refuses to write: ${READ_ONLY}`,
      ...['writes', 'reads'],
    ]);
  });
});
