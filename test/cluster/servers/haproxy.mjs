/** HAProxy before a cluster, with its configuration of the documentation: one writer at a time, reads spread. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, serverUser } from '../../../scripts/lib/environment.mjs';
import { findProgram } from '../../../scripts/lib/packages.mjs';
import { isAlive, startServer, stopProcess } from '../../../scripts/lib/processes.mjs';
import { lastingPort } from '../../stage/ports.mjs';
import { atPort, queryOnce } from './cluster.mjs';

const CONFIGURATIONS = join(ROOT, 'docker/haproxy');
const UP_MS = 30_000;

/**
 * @param {{ name: string, port: number, url: string }[]} nodes
 * @param {{ file: string, prefix: string }} configuration its file, and how it calls the nodes
 * @param {string} directory of its log
 */
export async function startHaproxy(nodes, { file, prefix }, directory) {
  const [writerPort, readerPort] = [await lastingPort(), await lastingPort()];
  const settings = { WRITER_BIND: `127.0.0.1:${writerPort}`, READER_BIND: `127.0.0.1:${readerPort}` };
  for (const { name, port } of nodes) settings[`${prefix}_${name.toUpperCase()}`] = `127.0.0.1:${port}`;
  const child = startServer({
    command: '/usr/bin/env',
    args: [
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      findProgram('haproxy'),
      '-db',
      '-f',
      join(CONFIGURATIONS, file),
    ],
    cwd: directory,
    log: join(directory, 'haproxy.log'),
    user: serverUser(),
  });
  const [writer, reader] = [writerPort, readerPort].map((port) => atPort(nodes[0].url, port));
  // before its first look a proxy takes every node in turn for one that writes
  for (let [until, inTurn] = [Date.now() + UP_MS, 0]; inTurn < nodes.length; await sleep(50)) {
    const [[writes], [reads]] = await Promise.all(
      [writer, reader].map((url) => queryOnce(url, 'SELECT @@read_only AS isReader').catch(() => [])),
    );
    inTurn = writes?.isReader === 0 && reads ? inTurn + 1 : 0;
    if (!isAlive(child.pid) || Date.now() > until) throw new Error(`HAProxy did not start: ${directory}/haproxy.log`);
  }
  return { writer, reader, stop: () => stopProcess(child.pid, 5_000) };
}
