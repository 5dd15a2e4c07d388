import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverDirectory, serverUser, writePrivate } from './environment.mjs';
import { ask, freePort, isAlive, isProcess, startServer, stopProcess } from './processes.mjs';
import { Explained } from './progress.mjs';

/** True when the server takes our password and has loaded its data. */
const isUp = async (port, password) => /\+PONG/.test(await ask(port, `AUTH ${password}\r\nPING\r\n`));

/** Bull's jobs must survive a restart and must never be evicted, hence AOF and `noeviction`. */
const configuration = (port, data, password, durable, settings) =>
  [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir "${data}"`,
    `requirepass ${password}`,
    `appendonly ${durable ? 'yes' : 'no'}`,
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    'daemonize no',
    ...settings,
  ].join('\n');

/**
 * Brings up a private Redis or Valkey. A server that a killed run left behind is taken over.
 * @param {string} binary redis-server or valkey-server
 * @param {string} directory data directory of the checkout
 * @param {{ durable?: boolean, settings?: string[], env?: Record<string, string> }} [options] durable: whether jobs survive a
 * restart of the server; settings: further lines of its configuration; env: of the server, beside ours
 * @returns {Promise<{ url: string, pid: number, note: string, stop: () => Promise<void> }>}
 */
export async function startRedis(binary, directory, { durable = true, settings: further = [], env = {} } = {}) {
  const user = serverUser();
  const home = serverDirectory(directory, 'redis', user);
  const data = join(home, 'data');
  const log = join(home, 'server.log');
  const file = join(home, 'instance.json');
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const password = kept.password ?? randomBytes(24).toString('hex');
  const describe = (pid, port, note) => ({
    url: `redis://:${password}@127.0.0.1:${port}`,
    pid,
    note: `${basename(binary)} on 127.0.0.1:${port}${note}`,
    stop: async () => {
      await stopProcess(pid, 30_000);
      writePrivate(file, JSON.stringify({ password, port }));
    },
  });
  // the server rewrites its command line to "redis-server 127.0.0.1:<port>"
  if (kept.pid !== undefined && isProcess(kept.pid, `127.0.0.1:${kept.port}`)) {
    if (await isUp(kept.port, password)) return describe(kept.pid, kept.port, ' (left by an earlier run, taken over)');
    await stopProcess(kept.pid, 30_000);
  }
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const settings = join(home, 'redis.conf');
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? kept.port : undefined);
    writePrivate(settings, `${configuration(port, data, password, durable, further)}\n`);
    writePrivate(log, '');
    for (const path of user === null ? [] : [data, settings]) chownSync(path, user.uid, user.gid);
    const child = startServer({ command: binary, args: [settings], cwd: data, log, user, env });
    writePrivate(file, JSON.stringify({ password, port, pid: child.pid }));
    const deadline = Date.now() + 60_000;
    while (isAlive(child.pid) && Date.now() < deadline) {
      if (await isUp(port, password)) return describe(child.pid, port, '');
      await sleep(50);
    }
    await stopProcess(child.pid, 1_000);
    const text = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
    if (attempt >= 3 || !/address already in use/i.test(text)) {
      throw new Explained(`${binary} did not start. The end of ${log}:\n${text}`);
    }
  }
}
