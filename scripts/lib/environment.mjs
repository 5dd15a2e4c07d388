import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { Explained } from './progress.mjs';

/** The checkout these scripts belong to. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** Stops with a clear text on a Node that is too old for the service. */
export function requireNode() {
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    throw new Explained(`Switchboard needs Node ${wanted} or later, this is ${process.versions.node}`);
  }
}

/** Variables of `.env`, where there is one. */
export function readDotEnv(file = join(ROOT, '.env')) {
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

/** Every variable the service knows: the names in `.env.example`, which a test holds against the schema. */
export function knownVariables() {
  const text = readFileSync(join(ROOT, '.env.example'), 'utf8');
  return [...text.matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]);
}

/**
 * Environment of a development run: the process's own, completed by `.env`. Empty values count as unset.
 * @returns {Record<string, string>}
 */
export function developmentEnvironment() {
  const merged = { ...readDotEnv(), ...process.env };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined && value !== ''));
}

/**
 * Environment of a test run: a developer's `.env` or exported settings must not change what tests see, so of the
 * service's variables only the two servers (and LOG_LEVEL) are handed on. DATABASE_URL_MYSQL is one of the tests alone.
 * @returns {Record<string, string>}
 */
export function testEnvironment() {
  const all = developmentEnvironment();
  const kept = new Set(['DATABASE_URL', 'REDIS_URL', 'LOG_LEVEL']);
  for (const name of knownVariables()) if (!kept.has(name)) delete all[name];
  return { ...all, NODE_ENV: 'test' };
}

/** Directory of everything that must survive a restart. @param {Record<string, string>} environment */
export function dataDirectory(environment) {
  const directory = resolve(ROOT, environment.DATA_DIR ?? '.data');
  mkdirSync(directory, { recursive: true });
  return directory;
}

/** Writes a file that only its owner reads. */
export function writePrivate(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600);
}

/**
 * JWT_SECRET, ENCRYPTION_KEY and SETTLEMENT_KEY: from the environment, in development generated once and kept
 * (reference/running#secrets-of-the-installation). In production they are never made up: the processes themselves
 * refuse to start without them.
 */
export function ensureSecrets(environment, directory) {
  if (environment.NODE_ENV === 'production') return environment;
  const file = join(directory, 'secrets.json');
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const secrets = {
    JWT_SECRET: kept.JWT_SECRET ?? randomBytes(48).toString('base64url'),
    ENCRYPTION_KEY: kept.ENCRYPTION_KEY ?? randomBytes(32).toString('hex'),
    SETTLEMENT_KEY: kept.SETTLEMENT_KEY ?? randomBytes(32).toString('hex'),
  };
  if (Object.keys(secrets).some((name) => kept[name] === undefined)) {
    writePrivate(file, `${JSON.stringify(secrets, null, 2)}\n`);
  }
  return { ...secrets, ...environment };
}

/** The unprivileged user that servers run as when we are root; null when we are not. */
export function serverUser() {
  if (process.getuid?.() !== 0) return null;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}

/** True when every user may walk down to this directory. */
export function everybodyReaches(directory) {
  for (let path = directory; ; path = dirname(path)) {
    if (existsSync(path) && (statSync(path).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

/**
 * Where a private server keeps its files. Root starts servers as another user, who may not be able to walk to a
 * checkout such as /root/switchboard; its data then lies under /var/lib, keyed by the checkout.
 */
export function serverPath(directory, name, user) {
  if (user === null || everybodyReaches(directory)) return join(directory, name);
  const key = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  return join('/var/lib/switchboard', key, name);
}

/** Makes that directory. */
export function serverDirectory(directory, name, user) {
  const path = serverPath(directory, name, user);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
  return path;
}

/** What the databases of a test run may need, with room for the tests themselves. */
const MEMORY_FOR_DATA = { files: 4 * 1024 ** 3, machine: 8 * 1024 ** 3 };

/**
 * Where data lie that are thrown away after a run: in memory, where there is much of it, since tests make and drop hundreds of
 * databases of 80 tables; else on the disk.
 * @param {string} directory on the disk, which also names the one in memory
 * @param {{ memory?: string, free?: number }} [machine] a file system in memory, and the free memory in bytes
 * @returns {string} what is in memory is to be removed at the end of the run
 */
export function throwAwayDirectory(directory, { memory = '/dev/shm', free = process.availableMemory() } = {}) {
  if (!existsSync(memory) || free < MEMORY_FOR_DATA.machine) return directory;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < MEMORY_FOR_DATA.files) return directory;
  const path = join(memory, `switchboard-${createHash('sha256').update(directory).digest('hex').slice(0, 12)}`);
  mkdirSync(path, { recursive: true, mode: 0o755 });
  // everybody may write to the place around it: somebody else's directory is not ours to use
  return statSync(path).uid === (process.getuid?.() ?? 0) ? path : directory;
}
