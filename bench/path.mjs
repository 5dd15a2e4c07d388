import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../scripts/lib/environment.mjs';
import { addRoute, startCarrier } from './carrier.mjs';
import { benchBroadcast, dispatchOnce } from './dispatch.mjs';
import { benchAccount, broadcast, freePort, stage, until } from './stage.mjs';

const WARM_UPS = 30;
const BATCH = 500;
const IDLE_MS = 1_500;
const RECEIPT_MS = 1_000;

/** An application whose executed files are counted, and what it executes while something happens. */
async function covered(set, directory, name, port, more = {}) {
  const file = join(directory, `covered-${name}.json`);
  const preload = pathToFileURL(join(ROOT, 'bench/covered.mjs')).href;
  const environment = { ...more, COVERED_FILE: file, NODE_OPTIONS: `--import ${preload}` };
  const { url, pid } = await set.run(`dist/src/apps/${name}/main.js`, port, environment);
  const take = async () => {
    rmSync(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    await until(async () => existsSync(file), Boolean, { withinMs: 60_000 });
    return JSON.parse(readFileSync(file, 'utf8'));
  };
  const during = async (work) => {
    await take();
    await work();
    return take();
  };
  return { url, during };
}

const ARCHITECTURE = join(ROOT, 'docs/architecture.md');
const WAY = /(<!-- ways: begin -->\n)[^]*?(<!-- ways: end -->)/g;

/** Folders with the names of their files, one line each. */
function byFolder(files) {
  const folders = new Map();
  for (const path of files) {
    const at = path.lastIndexOf('/');
    const name = path.slice(at + 1).replace(/\.ts$/, '');
    folders.set(path.slice(0, at), [...(folders.get(path.slice(0, at)) ?? []), name]);
  }
  return [...folders].map(([folder, names]) => `- \`${folder}\`: ${names.join(', ')}`).join('\n');
}

/** Writes the files of the three ways into the document, between its marks. */
function writeWays(ways) {
  const texts = ways.map(
    ([name, files]) => `\nFiles that run for ${name} (${files.length}):\n\n${byFolder(files)}\n\n`,
  );
  const page = readFileSync(ARCHITECTURE, 'utf8').replace(WAY, (_, begin, end) => `${begin}${texts.shift()}${end}`);
  writeFileSync(ARCHITECTURE, page);
}

/**
 * Files with a function that ran, after warm-up: one accepted SMS (API), one batch of 500 sent without receipts and one receipt
 * (worker). Counted by V8, so that no document can be wrong about it. `WRITE=1` writes the files that do not run at rest into
 * docs/architecture.md.
 */
export async function benchPath(environment, say) {
  const set = await stage(environment);
  const carrier = await startCarrier(set.environment, '9188');
  try {
    const api = await covered(set, environment.DATA_DIR, 'api', set.environment.PORT);
    const workerPort = String(await freePort());
    const worker = await covered(set, environment.DATA_DIR, 'worker', workerPort, { WORKER_PORT: workerPort });
    const { admin, client } = await benchAccount(api.url);
    await addRoute(admin, carrier);
    const send = (number) => client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast([number], 'bench'));
    const sendBatch = () => dispatchOnce(set.database, BATCH, benchBroadcast(client, BATCH));
    const sent = async (requestId) => {
      const [rows] = await set.database.query(
        'SELECT r.status FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id WHERE c.request_id = ?',
        [requestId],
      );
      return rows[0]?.status;
    };
    for (let count = 0; count < WARM_UPS; count++) await send('919900000001');
    for (let count = 0; count < 3; count++) await sendBatch();
    const { request_id: first } = await send('918800000001');
    await until(
      () => sent(first),
      (status) => status === 1,
    );
    await carrier.ask({ receipts: 1 });
    await sleep(IDLE_MS);
    const idle = new Set(await worker.during(() => sleep(IDLE_MS)));
    const idleApi = new Set(await api.during(() => sleep(IDLE_MS)));
    const accept = await api.during(() => send('919900000002'));
    await sleep(IDLE_MS);
    const batch = await worker.during(sendBatch);
    await carrier.ask({ forget: true });
    const { request_id: last } = await send('918800000002');
    await until(
      () => sent(last),
      (status) => status === 1,
    );
    await sleep(IDLE_MS);
    const receipt = await worker.during(async () => {
      await carrier.ask({ receipts: 1 });
      await sleep(RECEIPT_MS);
    });
    const ways = [
      ['one accepted SMS', accept, idleApi],
      ['one batch of 500 sent', batch, idle],
      ['one receipt', receipt, idle],
    ].map(([name, all, atRest]) => [name, all.filter((path) => !atRest.has(path)), all.length]);
    if (process.env.WRITE) writeWays(ways);
    return ways.map(([name, own, all]) => {
      say(`${name}: ${own.length} files that do not run at rest`);
      return `files with an executed function, ${name}: ${all} (${all - own.length} of them also at rest)`;
    });
  } finally {
    await carrier.stop();
    await set.close();
  }
}
