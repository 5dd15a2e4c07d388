import { type ChildProcess, spawn } from 'node:child_process';
import { programPath } from '../../../platform/config/index.js';
import { Failure } from '../terminal.js';

/** Where a database is, as its own programs want it. */
export interface DatabaseAddress {
  /** of the database, as DATABASE_URL */
  url: URL;
  name: string;
}

/** @param url DATABASE_URL @throws Failure where it names no database */
export function readAddress(url: string): DatabaseAddress {
  const address = new URL(url);
  const name = decodeURIComponent(address.pathname.slice(1));
  if (!/^[A-Za-z0-9_-]{1,52}$/.test(name)) throw new Failure('DATABASE_URL must name a database');
  return { url: address, name };
}

/** The same server with another database; empty = none. */
export function urlOf({ url }: DatabaseAddress, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** @throws Failure where none of the names is installed */
export function requireProgram(...names: readonly string[]): string {
  for (const name of names) {
    const path = programPath(name);
    if (path !== null) return path;
  }
  const [first] = names;
  throw new Failure(`${first} is not installed: it comes with the client of MariaDB (Debian: mariadb-client)`);
}

/** How a program of the server reaches it; the password goes by the environment, which other users cannot read. */
export function connectionOf({ url }: DatabaseAddress): { args: string[]; environment: NodeJS.ProcessEnv } {
  const args = ['--no-defaults', '--protocol=tcp', '--host', url.hostname.replace(/^\[|\]$/g, '')];
  args.push('--port', url.port || '3306', '--user', decodeURIComponent(url.username));
  if (url.searchParams.has('ssl')) args.push('--ssl');
  return { args, environment: { MYSQL_PWD: decodeURIComponent(url.password) } };
}

/** A program of the server under way, and what it says when it ends. */
export interface ServerProgram {
  child: ChildProcess;
  /** @throws Failure with the program's own last words */
  ended: Promise<void>;
}

export function startProgram(path: string, args: readonly string[], environment: NodeJS.ProcessEnv): ServerProgram {
  const child = spawn(path, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve();
      const name = path.split('/').at(-1);
      reject(new Failure(`${name} ended with ${code ?? 'a signal'}: ${said.trim() || 'it said nothing'}`));
    });
  });
  // told to the caller that waits for it later
  ended.catch(() => undefined);
  return { child, ended };
}
