/** The baseline of the chat dispatch benchmark: a bare keep-alive undici pool, same requests, same concurrency, writes nothing. */
import { Pool } from 'undici';
import { GRAPH_PATH, graphMessage } from './chat.mjs';

const [port, total, atOnce] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: atOnce, pipelining: 1 });
const headers = {
  accept: 'application/json',
  authorization: 'Bearer token-of-the-bench',
  'content-type': 'application/json',
};
let sent = 0;

const send = async () => {
  while (sent < total) {
    const number = sent++;
    const body = graphMessage(String(919_000_000_000 + number), `1-${number}`);
    const response = await pool.request({ path: GRAPH_PATH, method: 'POST', headers, body });
    const { messages } = await response.body.json();
    if (!messages[0].id) throw new Error('no id');
  }
};

const started = performance.now();
await Promise.all(Array.from({ length: atOnce }, send));
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000 }));
await pool.close();
