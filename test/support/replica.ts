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

/** Whether there is a MariaDB here to make a pair of. */
export const hasMariaDb = (): boolean => {
  try {
    execFileSync('mariadbd', ['--no-defaults', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Two MariaDBs, the second of which follows the first. */
export async function startReplicated(): Promise<ReplicatedDatabase> {
  const { startDatabase } = (await import(new URL('../../scripts/lib/mariadb.mjs', import.meta.url).href)) as {
    startDatabase: Start;
  };
  const directory = mkdtempSync(join(tmpdir(), 'switchboard-replica-'));
  chmodSync(directory, 0o755); // the servers run as another user
  const everything = `GRANT ALL PRIVILEGES ON *.* TO 'switchboard'@'127.0.0.1';`;
  const start = (name: string, args: string[]): Promise<Server> =>
    startDatabase('mariadbd', join(directory, name), {
      durable: false,
      args: ['--innodb-buffer-pool-size=64M', '--innodb-log-file-size=32M', ...args],
      statements: [everything],
    });
  const primary = await start('primary', ['--server-id=1', '--log-bin=bin', '--binlog-format=ROW']);
  const follower = await start('replica', ['--server-id=2', '--slave-skip-errors=all']);
  const connect = ({ url }: Server): Promise<Connection> => createConnection({ uri: url, multipleStatements: true });
  const [source, replica] = [await connect(primary), await connect(follower)];
  const { hostname, port, username, password } = new URL(primary.url);
  const [rows] = await source.query('SHOW MASTER STATUS');
  const [{ File: file, Position: position }] = rows as [{ File: string; Position: number }];
  await replica.query(
    `CHANGE MASTER TO MASTER_HOST = ?, MASTER_PORT = ?, MASTER_USER = ?, MASTER_PASSWORD = ?, MASTER_LOG_FILE = ?,
       MASTER_LOG_POS = ?, MASTER_CONNECT_RETRY = 1; START SLAVE`,
    [hostname, Number(port), username, password, file, position],
  );
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
    await Promise.all([primary.stop(), follower.stop()]);
    rmSync(directory, { recursive: true, force: true });
  };
  return {
    writer: { url: urlOf(primary), dataSource, drop: () => Promise.resolve() },
    replicaUrl: urlOf(follower),
    pause: async () => void (await replica.query('STOP SLAVE SQL_THREAD')),
    resume: async () => void (await replica.query('START SLAVE SQL_THREAD')),
    stop,
  };
}
