import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { FRUGAL } from '../scripts/lib/services.mjs';
import { addRoute } from '../test/stage/carrier.mjs';
import { forgetPeak, megabytes, size, timed } from '../test/stage/figures.mjs';
import { compare, verdict } from './results.mjs';
import { dispatchOnce, onStage, sendSms } from './stage.mjs';

const SIZES = [30_000, 300_000];
const LARGEST = 300_000;
const ROUNDS = size('REPORT_ROUNDS', 9);
const WARM_UPS = 2;
/** after its start a process gives back what that took */
const SETTLED_MS = 8_000;
const ROWS_A_STATEMENT = 10_000;

const pathOf = (requestId) => `/webhook/api/getGSMreport.php?request_id=${requestId}`;
const agent = new Agent({ keepAlive: true });

/** Reads an answer to its last byte. The bytes are counted, not parsed: the reader must not be what is measured. */
const read = (url) =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url}: ${response.statusCode}`));
      return response.resume().on('end', resolve);
    }).on('error', reject);
  });

/** Reports of 30,000 and 300,000 records, request to last byte, beside a bare stream of the same rows. */
export const benchReport = onStage(async (set, say) => {
  const api = await set.start('api');
  await set.signInAt(api);
  const { port } = await set.bare('report');
  const lines = [];
  for (const total of SIZES) {
    const { id, requestId } = await storeReport(set.pool, total);
    const rate = async (url) => (total * 1_000) / (await timed(() => read(url)));
    const ways = {
      ours: () => rate(api.url + pathOf(requestId)),
      'bare stream': () => rate(`http://127.0.0.1:${port}/${id}`),
    };
    const name = `report of ${total.toLocaleString('en')} records`;
    lines.push(
      await compare(ways, { name, goal: 'at least 0.85', unit: '/s', rounds: ROUNDS, warmUps: WARM_UPS, say }),
    );
  }
  return lines;
});

/** What reports of 300,000 add to the memory of an API as `npm start` runs it. */
async function memoryOfReports(set, requestId, say) {
  const api = await set.start('api', FRUGAL.environment, { options: FRUGAL.options });
  await sleep(SETTLED_MS);
  const atRest = megabytes(api.pid);
  forgetPeak(api.pid);
  const growth = [];
  for (let round = 0; round < ROUNDS; round++) {
    await read(api.url + pathOf(requestId));
    growth.push(megabytes(api.pid, 'VmHWM') - atRest);
  }
  await api.stop();
  say(
    `the API held ${atRest.toFixed(0)} MB, after each report at most ${growth.map((mb) => mb.toFixed(0)).join(', ')} more`,
  );
  return verdict('memory of the API above rest, MB', growth.at(-1), 'at most 120', `${ROUNDS} reports of 300,000`);
}

/** Memory: of reports, above what an API holds at rest; and at most while 300,000 are accepted and dispatched. */
export const benchMemory = onStage(async (set, say) => {
  const api = await set.start('api');
  const { admin, client } = await set.signInAt(api);
  const { requestId } = await storeReport(set.pool, LARGEST);
  const reports = await memoryOfReports(set, requestId, say);
  await addRoute(admin, await set.carrier());
  const worker = await set.start('worker');
  const seconds = await dispatchOnce(set.pool, LARGEST, () => sendSms(client, LARGEST));
  const peak = ({ pid }) => megabytes(pid, 'VmHWM');
  const rate = `dispatching them at ${(LARGEST / seconds).toFixed(0)}/s`;
  return [
    reports,
    verdict('peak memory of the API, MB', peak(api), 'at most 400', 'accepting 300,000 contacts'),
    verdict('peak memory of the worker, MB', peak(worker), 'at most 400', rate),
  ];
});

/** A finished campaign: most delivered, one in ten failed with one of five errors. @param options with its entry of the ledger */
export async function storeReport(pool, total, { ledger = false } = {}) {
  const id = (Date.now() - Date.UTC(2024, 0, 1)) * 4096;
  const requestId = `bench-${id}`;
  await pool.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, charged_credits, total_rows, open_lanes, refunded_credits, settlement_due, created_at, completed_at)
     SELECT ?, id, ?, 'sms', 'completed', 'bench', 'main', 1, '{"message":"Hello"}', 'gsm_credits', 1, ?, ?, 0, 0, 0,
       UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM accounts WHERE username = 'bench'`,
    [id, requestId, total, total],
  );
  if (ledger) {
    await pool.query(
      `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, created_at)
       SELECT id, 'gsm_credits', ?, 0, 'debit', ?, UTC_TIMESTAMP(3) FROM accounts WHERE username = 'bench'`,
      [-total, requestId],
    );
  }
  for (let from = 0; from < total; from += ROWS_A_STATEMENT) {
    const rows = Array.from({ length: Math.min(ROWS_A_STATEMENT, total - from) }, (_, index) => {
      const seq = from + index + 1;
      const fault = seq % 10 === 0 ? seq % 5 : null;
      const [status, text] = fault === null ? [2, null] : [4, `Fault ${fault}`];
      return [id, seq, String(919_000_000_000 + seq), status, 1, fault, text, new Date()];
    });
    await pool.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, error_code, error_message, updated_at)
       VALUES ?`,
      [rows],
    );
  }
  return { id, requestId };
}
