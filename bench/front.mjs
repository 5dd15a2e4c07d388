import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import mysql from 'mysql2/promise';
import { benchAccount, broadcast, contacts, freePort, median, size, stage, verdict } from './stage.mjs';

const ROUNDS = size('ROUNDS', 5);
const SECONDS = size('SECONDS', 4);
const AT_ONCE = 32;
const TICKS_A_SECOND = 100;

/** Processor time that a process has had so far, seconds. */
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** One leg: requests a second, and what each cost the processes in processor time, microseconds. */
async function leg(url, request, pids) {
  const before = pids.map(processorTime);
  const result = await autocannon({ url, connections: AT_ONCE, duration: SECONDS, ...request });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  const served = result.requests.total;
  const spent = pids.map((pid, index) => ((processorTime(pid) - before[index]) * 1e6) / served);
  return { rate: served / result.duration, spent, p99: result.latency.p99 };
}

/** Requests through a front against the same requests straight at the cell, in turn. */
export async function benchFront(environment, say) {
  const directory = new URL(environment.DATABASE_URL);
  const name = `switchboard_bench_directory_${randomBytes(4).toString('hex')}`;
  const admin = await mysql.createConnection(directory.href);
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  directory.pathname = `/${name}`;
  const shared = { CELL_TOKEN: randomBytes(16).toString('hex'), DIRECTORY_URL: directory.href };
  const set = await stage(environment, { ...shared, CELL: 'a', TRUST_PROXY: '1', LOG_LEVEL: 'warn' });
  try {
    const api = await set.api();
    const port = await freePort();
    set.environment.PORT = String(port);
    set.environment.CELLS = `a=${api.url}`;
    const front = await set.run('dist/src/apps/front/main.js', port);
    const { client } = await benchAccount(api.url);
    const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
    const post = (recipients) => {
      const body = broadcast(contacts(recipients), 'bench');
      return { path: '/webhook/api/addbroadcastgsm.php', method: 'POST', headers, body };
    };
    const requests = {
      'a read': { path: '/v6/api/account/credits', method: 'GET', headers },
      'one message': post(1),
      '10,000 recipients': post(10_000),
    };
    const lines = [];
    for (const [what, { path, ...request }] of Object.entries(requests)) {
      const ratios = [];
      const shares = [];
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
      lines.push(verdict(`front, ${what}: requests a second through it / direct`, median(ratios), 'none', ''));
      lines.push(
        verdict(`front, ${what}: processor time of the front / of the cell`, median(shares), 'at most 0.5', ''),
      );
    }
    return lines;
  } finally {
    await set.close();
    await admin.query(`DROP DATABASE ${name}`);
    await admin.end();
  }
}
