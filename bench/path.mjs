import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../scripts/lib/environment.mjs';
import { addRoute } from '../test/stage/carrier.mjs';
import { broadcast, until } from '../test/stage/client.mjs';
import { dispatchOnce, onStage, sendSms, SMS_PATH } from './stage.mjs';

const WARM_UPS = 30;
const BATCH = 500;
const IDLE_MS = 1_500;
const RECEIPT_MS = 1_000;

/** An application whose executed files are counted, and what it executes while something happens. */
async function covered(set, name) {
  const file = join(set.directory, `covered-${name}.json`);
  const preload = pathToFileURL(join(ROOT, 'bench/covered.mjs')).href;
  const { url, pid } = await set.start(name, { COVERED_FILE: file, NODE_OPTIONS: `--import ${preload}` });
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
export const benchPath = onStage(async (set, say) => {
  const carrier = await set.carrier('9188');
  const api = await covered(set, 'api');
  const worker = await covered(set, 'worker');
  const { admin, client } = await set.signInAt(api);
  await addRoute(admin, carrier);
  const send = (number) => client.call('POST', SMS_PATH, broadcast([number], 'bench'));
  const sendBatch = () => dispatchOnce(set.pool, BATCH, () => sendSms(client, BATCH));
  const sent = async (requestId) => {
    const sql =
      'SELECT r.status FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id WHERE c.request_id = ?';
    const look = async () => (await set.pool.query(sql, [requestId]))[0][0]?.status;
    await until(look, (status) => status === 1);
  };
  for (let count = 0; count < WARM_UPS; count++) await send('919900000001');
  for (let count = 0; count < 3; count++) await sendBatch();
  const { request_id: first } = await send('918800000001');
  await sent(first);
  await carrier.ask({ receipts: 1 });
  await sleep(IDLE_MS);
  const idle = new Set(await worker.during(() => sleep(IDLE_MS)));
  const idleApi = new Set(await api.during(() => sleep(IDLE_MS)));
  const accept = await api.during(() => send('919900000002'));
  await sleep(IDLE_MS);
  const batch = await worker.during(sendBatch);
  await carrier.ask({ forget: true });
  const { request_id: last } = await send('918800000002');
  await sent(last);
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
});
