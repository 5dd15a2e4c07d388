import { randomBytes } from 'node:crypto';
import autocannon from 'autocannon';
import mysql from 'mysql2/promise';
import { broadcast, contacts } from '../test/stage/client.mjs';
import { median, processorSeconds, size } from '../test/stage/figures.mjs';
import { verdict } from './results.mjs';
import { onStage, SMS_PATH } from './stage.mjs';

const ROUNDS = size('FRONT_ROUNDS', 5);
const SECONDS = size('FRONT_SECONDS', 4);
const AT_ONCE = 32;

/** Requests to one address for some seconds: how many a second, and what each cost the processes, µs. */
async function leg(url, request, pids) {
  const before = pids.map(processorSeconds);
  const result = await autocannon({ url, connections: AT_ONCE, duration: SECONDS, ...request });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  const served = result.requests.total;
  const spent = pids.map((pid, index) => ((processorSeconds(pid) - before[index]) * 1e6) / served);
  return { rate: served / result.duration, spent, p99: result.latency.p99 };
}

/** An empty database for the directory of cells, which ends with the run of `work`. */
async function withDirectory(databaseUrl, work) {
  const url = new URL(databaseUrl);
  const server = await mysql.createConnection(url.href);
  const name = `switchboard_bench_directory_${randomBytes(4).toString('hex')}`;
  await server.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  url.pathname = `/${name}`;
  try {
    return await work(url.href);
  } finally {
    await server.query(`DROP DATABASE ${name}`);
    await server.end();
  }
}

/** Requests through a front against the same requests straight at the cell, in turn. */
const throughFront = async (set, say) => {
  const api = await set.start('api');
  const front = await set.start('front', { CELLS: `a=${api.url}` });
  const { client } = await set.signInAt(api);
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
  const post = (recipients) => ({
    path: SMS_PATH,
    method: 'POST',
    headers,
    body: broadcast(contacts(recipients), 'bench'),
  });
  const requests = {
    'a read': { path: '/v6/api/account/credits', method: 'GET', headers },
    'one message': post(1),
    '10,000 recipients': post(10_000),
  };
  const lines = [];
  for (const [what, { path, ...request }] of Object.entries(requests)) {
    const [ratios, shares] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const direct = await leg(api.url + path, request, [api.pid]);
      const through = await leg(front.url + path, request, [api.pid, front.pid]);
      ratios.push(through.rate / direct.rate);
      shares.push(through.spent[1] / through.spent[0]);
      say(
        `${what}: direct ${direct.rate.toFixed(0)}/s (p99 ${direct.p99} ms), through the front ${through.rate.toFixed(0)}/s ` +
          `(p99 ${through.p99} ms), processor ${through.spent[0].toFixed(0)} µs in the cell, ${through.spent[1].toFixed(0)} µs in the front`,
      );
    }
    lines.push(verdict(`front, ${what}: requests a second through it / direct`, median(ratios), 'none'));
    lines.push(verdict(`front, ${what}: processor time of the front / of the cell`, median(shares), 'at most 0.5'));
  }
  return lines;
};

export const benchFront = (environment, say) =>
  withDirectory(environment.DATABASE_URL, (directory) => {
    const cell = { CELL_TOKEN: randomBytes(16).toString('hex'), DIRECTORY_URL: directory, CELL: 'a', TRUST_PROXY: '1' };
    return onStage(throughFront, { ...cell, LOG_LEVEL: 'warn' })(environment, say);
  });
