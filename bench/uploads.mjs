import { request } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { megabytes, size } from '../test/stage/figures.mjs';
import { compare, verdict } from './results.mjs';
import { onStage } from './stage.mjs';

const ROWS = size('UPLOAD_ROWS', 500_000);
const ROUNDS = 3;
const ROWS_A_PIECE = 1_000;

/** Uploads of 500,000 rows with four variables beside csv-parse alone, which keeps nothing; and the API's memory, which does not grow. */
export const benchUploads = onStage(async (set, say) => {
  const api = await set.start('api');
  const { client } = await set.signInAt(api);
  const { port } = await set.bare('csv');
  const theirs = { url: `http://127.0.0.1:${port}/`, token: '' };
  const ours = { url: `${api.url}/v6/api/uploads`, token: client.token };
  for (const way of [ours, theirs]) await upload(way, ROWS / 10);
  const ways = { ours: () => upload(ours, ROWS), 'csv-parse alone': () => upload(theirs, ROWS) };
  const name = `upload of ${ROWS.toLocaleString('en')} rows`;
  return [
    await compare(ways, { name, goal: 'at least 0.1', unit: '/s', rounds: ROUNDS, say }),
    verdict('peak memory of the API, MB', megabytes(api.pid, 'VmHWM'), 'at most 400', `${ROUNDS} uploads`),
  ];
});

/** Rows a second until the answer. The file is made while it is sent, so that it costs both the same. */
async function upload({ url, token }, rows) {
  const began = performance.now();
  const headers = { 'content-type': 'text/csv', authorization: `Bearer ${token}` };
  const response = await new Promise((resolve, reject) => {
    const out = request(url, { method: 'POST', headers }, resolve).on('error', reject);
    Readable.from(file(rows)).pipe(out);
  });
  const answer = await json(response);
  const kept = answer.rows ?? answer.data?.rows;
  // the bare one counts the header too
  if (kept !== rows && kept !== rows + 1) throw new Error(`${url}: ${JSON.stringify(answer)}`);
  return (rows * 1_000) / (performance.now() - began);
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
