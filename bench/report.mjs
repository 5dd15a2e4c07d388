import { request } from 'node:http';
import { benchAccount, median, stage, start, verdict } from './stage.mjs';

const SIZES = [30_000, 300_000];
const ROUNDS = 9;

/** Reports of 30,000 and 300,000 records, request to last byte, beside a bare stream of the same rows. */
export async function benchReport(environment, say) {
  const set = await stage(environment);
  let bare;
  try {
    const api = await set.api();
    await benchAccount(api.url);
    bare = await start('bench/bare-report.mjs', [], set.environment);
    const { port } = await bare.next();
    const lines = [];
    for (const size of SIZES) {
      const { id, requestId } = await storeReport(set.database, size);
      const ours = `${api.url}/webhook/api/getGSMreport.php?request_id=${requestId}`;
      const theirs = `http://127.0.0.1:${port}/${id}`;
      const times = [];
      for (let round = -2; round < ROUNDS; round++) {
        const pair = [await timed(ours), await timed(theirs)];
        if (round < 0) continue;
        times.push(pair);
        say(`${size}: ours ${pair[0].toFixed(0)} ms, bare ${pair[1].toFixed(0)} ms`);
      }
      lines.push(
        verdict(
          `report of ${size.toLocaleString('en')} records, speed of a bare stream`,
          median(times.map(([us, them]) => them / us)),
          'at least 0.85',
          `ours ${median(times.map(([us]) => us)).toFixed(0)} ms, bare ${median(times.map(([, them]) => them)).toFixed(0)} ms`,
        ),
      );
    }
    return lines;
  } finally {
    await bare?.stop();
    await set.close();
  }
}

/** Milliseconds to the last byte. The bytes are counted, not parsed: the reader must not be what is measured. */
function timed(url) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    request(url, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url}: ${response.statusCode}`));
      response.on('data', () => undefined);
      response.on('end', () => resolve(performance.now() - began));
    })
      .on('error', reject)
      .end();
  });
}

/** A finished campaign: most delivered, one in ten failed with one of five errors. */
async function storeReport(database, size) {
  const id = (Date.now() - Date.UTC(2024, 0, 1)) * 4096;
  const requestId = `bench-${id}`;
  const [[account]] = await database.query("SELECT id FROM accounts WHERE username = 'bench'");
  await database.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, charged_credits, total_rows, open_lanes, refunded_credits, created_at, completed_at)
     VALUES (?, ?, ?, 'sms', 'completed', 'bench', 'main', 1, '{"message":"Hello"}', 'gsm_credits', 1, ?, ?, 0, 0,
       UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
    [id, account.id, requestId, size, size],
  );
  for (let from = 0; from < size; from += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, size - from) }, (_, index) => {
      const seq = from + index + 1;
      const failed = seq % 10 === 0;
      return [
        id,
        seq,
        String(919_000_000_000 + seq),
        failed ? 4 : 2,
        1,
        failed ? seq % 5 : null,
        failed ? `Fault ${seq % 5}` : null,
      ];
    });
    await database.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, error_code, error_message, updated_at)
       VALUES ${rows.map((row) => `(${row.map((value) => database.escape(value)).join(',')},UTC_TIMESTAMP(3))`).join(',')}`,
    );
  }
  return { id, requestId };
}
