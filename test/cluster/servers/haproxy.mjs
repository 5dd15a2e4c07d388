/** HAProxy before the cluster, with the configuration of the documentation: one writer at a time, reads spread. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, serverUser } from '../../../scripts/lib/environment.mjs';
import { findProgram } from '../../../scripts/lib/packages.mjs';
import { isAlive, startServer, stopProcess } from '../../../scripts/lib/processes.mjs';
import { lastingPort } from '../../stage/ports.mjs';
import { queryOnce } from './galera.mjs';

const CONFIGURATION = join(ROOT, 'docker/haproxy/haproxy.cfg');
const UP_MS = 30_000;

/** The same user and database by another port. */
const atPort = (url, port) => {
  const own = new URL(url);
  own.port = String(port);
  return own.href;
};

/**
 * @param {{ port: number, url: string }[]} nodes the writer first
 * @param {string} directory of its log
 */
export async function startHaproxy(nodes, directory) {
  const [writerPort, readerPort] = [await lastingPort(), await lastingPort()];
  const [a, b, c] = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const settings = { GALERA_A: a, GALERA_B: b, GALERA_C: c, WRITER_BIND: `127.0.0.1:${writerPort}`, READER_BIND: `127.0.0.1:${readerPort}` }; // prettier-ignore
  const child = startServer({
    command: '/usr/bin/env',
    args: [
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      findProgram('haproxy'),
      '-db',
      '-f',
      CONFIGURATION,
    ],
    cwd: directory,
    log: join(directory, 'haproxy.log'),
    user: serverUser(),
  });
  const [writer, reader] = [writerPort, readerPort].map((port) => atPort(nodes[0].url, port));
  for (const until = Date.now() + UP_MS; ; await sleep(100)) {
    const answers = await Promise.all([writer, reader].map((url) => queryOnce(url, 'SELECT 1').catch(() => null)));
    if (answers.every(Boolean)) break;
    if (!isAlive(child.pid) || Date.now() > until) throw new Error(`HAProxy did not start: ${directory}/haproxy.log`);
  }
  return { writer, reader, stop: () => stopProcess(child.pid, 5_000) };
}
