/** The baseline of the voice benchmark: a bare loop of the undici client, same requests, same number at once, writes nothing. */
import { Pool } from 'undici';

const [port, total, atOnce] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: atOnce, pipelining: 1 });
const headers = {
  authorization: `Basic ${Buffer.from('AC0:token').toString('base64')}`,
  'content-type': 'application/x-www-form-urlencoded',
};
const twiml =
  '<?xml version="1.0" encoding="UTF-8"?><Response><Play>https://us.example/audio/0123456789abcdef.wav</Play><Hangup/></Response>';
let sent = 0;

async function loop() {
  while (sent < total) {
    const number = 919_000_000_000 + sent++;
    const form = new URLSearchParams({
      To: `+${number}`,
      From: '+918000000001',
      Twiml: twiml,
      StatusCallback: `https://us.example/provider/voice/bench/calls/1-${number}/status`,
      StatusCallbackMethod: 'POST',
      StatusCallbackEvent: 'completed',
      Timeout: '30',
    });
    const { body } = await pool.request({
      path: '/2010-04-01/Accounts/AC0/Calls.json',
      method: 'POST',
      headers,
      body: form.toString(),
    });
    if (!(await body.json()).sid) throw new Error('no call');
  }
}

const started = performance.now();
await Promise.all(Array.from({ length: atOnce }, loop));
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000 }));
process.exit(0);
