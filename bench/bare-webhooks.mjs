/** The baseline of the webhook benchmark: a bare undici pool that signs and posts the same bodies, and writes nothing. */
import { createHmac, randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { eventBody, eventId } from './webhook-events.mjs';

const [port, total, atOnce] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: atOnce, pipelining: 1 });
const key = randomBytes(32);
let sent = 0;

const send = async () => {
  while (sent < total) {
    const number = sent++;
    const id = eventId();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const body = eventBody(number);
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    const response = await pool.request({ path: '/hook', method: 'POST', headers, body });
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
  }
};

const started = performance.now();
await Promise.all(Array.from({ length: atOnce }, send));
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000 }));
await pool.close();
