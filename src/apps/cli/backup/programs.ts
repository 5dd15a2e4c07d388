import { type ChildProcess, spawn } from 'node:child_process';
import { programPath } from '../../../platform/config/index.js';
import { Failure } from '../terminal.js';

export interface DatabaseAddress {
  url: URL;
  name: string;
}

/** Reads DATABASE_URL. Throws Failure if it does not name a database. */
export function readAddress(url: string): DatabaseAddress {
  const address = new URL(url);
  const name = decodeURIComponent(address.pathname.slice(1));
  if (!/^[A-Za-z0-9_-]{1,52}$/.test(name)) throw new Failure('DATABASE_URL must name a database');
  return { url: address, name };
}

/** The same server with another database; '' = none. */
export function urlOf({ url }: DatabaseAddress, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** Path of the first installed program. Throws Failure if there is none. */
export function requireProgram(...names: readonly string[]): string {
  for (const name of names) {
    const path = programPath(name);
    if (path !== null) return path;
  }
  const [first] = names;
  throw new Failure(`${first} is not installed: it comes with the client of MariaDB (Debian: mariadb-client)`);
}

/** Connection options; the password is in the environment, which other users cannot read. */
export function connectionOf({ url }: DatabaseAddress): { args: string[]; environment: NodeJS.ProcessEnv } {
  const args = ['--no-defaults', '--protocol=tcp', '--host', url.hostname.replace(/^\[|\]$/g, '')];
  args.push('--port', url.port || '3306', '--user', decodeURIComponent(url.username));
  if (url.searchParams.has('ssl')) args.push('--ssl');
  return { args, environment: { MYSQL_PWD: decodeURIComponent(url.password) } };
}

export interface ServerProgram {
  child: ChildProcess;
  /** rejects with Failure and the program's last output */
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
  // avoids an unhandled rejection before the caller awaits it
  ended.catch(() => undefined);
  return { child, ended };
}
