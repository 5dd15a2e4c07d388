import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, writePrivate } from './environment.mjs';
import { run } from './processes.mjs';
import { Explained } from './progress.mjs';

const FILE = join(ROOT, 'docker/compose.servers.yaml');

/** True when `docker compose` is there and its engine answers. */
export const canCompose = () =>
  spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0 &&
  spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;

/**
 * Brings up the wanted servers in containers whose ports are open on 127.0.0.1 only.
 * @param {string} directory data directory of the checkout (keeps the password; the data are in named volumes)
 * @param {('mariadb' | 'redis')[]} wanted
 * @returns {Promise<{ urls: Record<string, string>, stop: () => Promise<void> }>}
 */
export async function composeServers(directory, wanted) {
  const file = join(directory, 'compose.json');
  if (!existsSync(file)) writePrivate(file, JSON.stringify({ password: randomBytes(24).toString('hex') }));
  const { password } = JSON.parse(readFileSync(file, 'utf8'));
  const project = `switchboard-${createHash('sha256').update(directory).digest('hex').slice(0, 8)}`;
  const base = ['compose', '-p', project, '-f', FILE];
  const env = { ...process.env, SERVERS_PASSWORD: password };
  await run('docker', [...base, 'up', '-d', '--wait', ...wanted], { env });
  const port = (service, inside) => {
    const answer = spawnSync('docker', [...base, 'port', service, String(inside)], { env, encoding: 'utf8' });
    const found = /:(\d+)\s*$/.exec(answer.stdout ?? '')?.[1];
    if (found === undefined) throw new Explained(`docker compose names no port for ${service}:\n${answer.stderr}`);
    return found;
  };
  const urls = {};
  if (wanted.includes('mariadb')) {
    urls.mariadb = `mysql://switchboard:${password}@127.0.0.1:${port('mariadb', 3306)}/switchboard`;
  }
  if (wanted.includes('redis')) urls.redis = `redis://:${password}@127.0.0.1:${port('redis', 6379)}`;
  return { urls, stop: () => run('docker', [...base, 'stop'], { env }) };
}
