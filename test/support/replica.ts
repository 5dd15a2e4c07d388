import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/index.js';
import type { TestDatabase } from './database.js';

interface Server {
  url: string;
  stop(): Promise<void>;
}
type Start = (
  binary: string,
  directory: string,
  options: { durable: boolean; args: string[]; statements: string[] },
) => Promise<Server>;

/** A database whose binary log another server follows. */
export interface ReplicatedDatabase {
  writer: TestDatabase;
  /** of the same database on the replica */
  replicaUrl: string;
  /** what comes from the writer is not applied until `resume` */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** The server that the tests of this run use; without one of ours, MariaDB. */
const PROGRAM = process.env['DATABASE_PROGRAM'] ?? 'mariadbd';

const versionOf = (program: string): string | null => {
  try {
    return execFileSync(program, ['--no-defaults', '--version'], { encoding: 'utf8' });
  } catch {
    return null;
  }
};
const VERSION = versionOf(PROGRAM);

/** Whether there is a server here to make a pair of. */
export const canReplicate = VERSION !== null;

/** What both servers can do, in the words of each. */
interface Dialect {
  primary: string[];
  replica: string[];
  position: string;
  follow: string;
  pause: string;
  resume: string;
}
const MARIADB: Dialect = {
  primary: ['--server-id=1', '--log-bin=bin', '--binlog-format=ROW', '--innodb-log-file-size=32M'],
  replica: ['--server-id=2', '--slave-skip-errors=all', '--innodb-log-file-size=32M'],
  position: 'SHOW MASTER STATUS',
  follow: `CHANGE MASTER TO MASTER_HOST = ?, MASTER_PORT = ?, MASTER_USER = ?, MASTER_PASSWORD = ?, MASTER_LOG_FILE = ?,
    MASTER_LOG_POS = ?, MASTER_CONNECT_RETRY = 1; START SLAVE`,
  pause: 'STOP SLAVE SQL_THREAD',
  resume: 'START SLAVE SQL_THREAD',
};
const MYSQL: Dialect = {
  primary: ['--server-id=1', '--log-bin=bin'],
  replica: ['--server-id=2', '--replica-skip-errors=all'],
  position: 'SHOW BINARY LOG STATUS',
  follow: `CHANGE REPLICATION SOURCE TO SOURCE_HOST = ?, SOURCE_PORT = ?, SOURCE_USER = ?, SOURCE_PASSWORD = ?,
    SOURCE_LOG_FILE = ?, SOURCE_LOG_POS = ?, SOURCE_CONNECT_RETRY = 1, GET_SOURCE_PUBLIC_KEY = 1; START REPLICA`,
  pause: 'STOP REPLICA SQL_THREAD',
  resume: 'START REPLICA SQL_THREAD',
};
const DIALECT = /mariadb/i.test(VERSION ?? '') ? MARIADB : MYSQL;

/** Two servers, the second of which follows the first. */
export async function startReplicated(): Promise<ReplicatedDatabase> {
  const { startDatabase } = (await import(new URL('../../scripts/lib/mariadb.mjs', import.meta.url).href)) as {
    startDatabase: Start;
  };
  const directory = mkdtempSync(join(tmpdir(), 'switchboard-replica-'));
  chmodSync(directory, 0o755); // the servers run as another user
  const everything = `GRANT ALL PRIVILEGES ON *.* TO 'switchboard'@'127.0.0.1';`;
  // MySQL takes 32 characters from who follows
  const follower = randomBytes(12).toString('hex');
  const follow = [
    `CREATE USER IF NOT EXISTS 'follower'@'127.0.0.1' IDENTIFIED BY '${follower}';`,
    `GRANT REPLICATION SLAVE ON *.* TO 'follower'@'127.0.0.1';`,
  ];
  const start = (name: string, args: string[]): Promise<Server> =>
    startDatabase(PROGRAM, join(directory, name), {
      durable: false,
      args: ['--innodb-buffer-pool-size=64M', ...args],
      statements: [everything, ...follow],
    });
  const primary = await start('primary', DIALECT.primary);
  const second = await start('replica', DIALECT.replica);
  const connect = ({ url }: Server): Promise<Connection> => createConnection({ uri: url, multipleStatements: true });
  const [source, replica] = [await connect(primary), await connect(second)];
  const { hostname, port } = new URL(primary.url);
  const [rows] = await source.query(DIALECT.position);
  const [{ File: file, Position: position }] = rows as [{ File: string; Position: number }];
  await replica.query(DIALECT.follow, [hostname, Number(port), 'follower', follower, file, position]);
  const name = `replicated_${randomBytes(6).toString('hex')}`;
  await source.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  const urlOf = (server: Server): string => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  const dataSource = await new DataSource(dataSourceOptions(urlOf(primary), 8)).initialize();
  await dataSource.runMigrations();
  const stop = async (): Promise<void> => {
    if (dataSource.isInitialized) await dataSource.destroy();
    source.destroy();
    replica.destroy();
    await Promise.all([primary.stop(), second.stop()]);
    rmSync(directory, { recursive: true, force: true });
  };
  return {
    writer: { url: urlOf(primary), dataSource, drop: () => Promise.resolve() },
    replicaUrl: urlOf(second),
    pause: async () => void (await replica.query(DIALECT.pause)),
    resume: async () => void (await replica.query(DIALECT.resume)),
    stop,
  };
}
