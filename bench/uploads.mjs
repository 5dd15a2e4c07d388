import { request } from 'node:http';
import { Readable } from 'node:stream';
import { benchAccount, median, peakMemory, size, stage, start, verdict } from './stage.mjs';

const ROWS = size('UPLOAD_ROWS', 500_000);
const ROUNDS = 3;
const ROWS_A_PIECE = 1_000;

/** Uploads of 500,000 rows with four variables: rows a second beside csv-parse alone, which keeps nothing; and the API's memory, which does not grow. */
export async function benchUploads(environment, say) {
  const set = await stage(environment);
  let bare;
  try {
    const api = await set.api();
    const { client } = await benchAccount(api.url);
    bare = await start('bench/bare-csv.mjs', [], set.environment);
    const { port } = await bare.next();
    const theirs = { url: `http://127.0.0.1:${port}/`, token: '' };
    const ours = { url: `${api.url}/v6/api/uploads`, token: client.token };
    await upload(ours, ROWS / 10);
    await upload(theirs, ROWS / 10);
    const times = [];
    const peaks = [];
    for (let round = 0; round < ROUNDS; round++) {
      const pair = [await upload(ours, ROWS), await upload(theirs, ROWS)];
      times.push(pair);
      peaks.push(peakMemory(api.pid));
      say(`ours ${(ROWS / pair[0]).toFixed(0)}/s, bare ${(ROWS / pair[1]).toFixed(0)}/s`);
    }
    const [us, them] = [0, 1].map((which) => (ROWS / median(times.map((pair) => pair[which]))).toFixed(0));
    return [
      verdict(
        `upload of ${ROWS.toLocaleString('en')} rows, speed of csv-parse alone`,
        median(times.map(([ours, bare]) => bare / ours)),
        'at least 0.1',
        `ours ${us}/s, bare ${them}/s`,
      ),
      verdict(
        'peak memory of the API, MB',
        peaks.at(-1),
        'at most 400',
        `after each upload ${peaks.map((peak) => peak.toFixed(0)).join(', ')}`,
      ),
    ];
  } finally {
    await bare?.stop();
    await set.close();
  }
}

/** Seconds until the answer. The file is made while it is sent, so that it costs both the same. */
function upload({ url, token }, rows) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'text/csv', authorization: `Bearer ${token}` };
    const out = request(url, { method: 'POST', headers }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => {
        const answer = JSON.parse(Buffer.concat(parts).toString());
        const kept = answer.rows ?? answer.data?.rows;
        // the bare one counts the header too
        if (kept !== rows && kept !== rows + 1) return reject(new Error(`${url}: ${JSON.stringify(answer)}`));
        resolve((performance.now() - began) / 1000);
      });
    }).on('error', reject);
    Readable.from(file(rows)).pipe(out);
  });
}

function* file(rows) {
  yield 'phone,name,city,amount,due\n';
  for (let from = 0; from < rows; from += ROWS_A_PIECE) {
    let piece = '';
    for (let row = from; row < Math.min(from + ROWS_A_PIECE, rows); row++) {
      piece += `${919_000_000_000 + row},"Customer ${row}",Pune,${row % 10_000},2026-12-${10 + (row % 20)}\n`;
    }
    yield piece;
  }
}
