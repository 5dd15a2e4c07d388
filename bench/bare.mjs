/**
 * The simplest ways to do the same as we do, beside which the benches stand: no checks, no credits, no authentication, and
 * nothing is written that is not named here. `node bench/bare.mjs <way> …`; a server prints its port, a client the seconds it took.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import mysql from 'mysql2/promise';
import smpp from 'smpp';
import { Pool } from 'undici';
import { GRAPH_PATH, graphMessage } from '../test/stage/chat.mjs';
import { eventBody, eventId } from '../test/stage/webhook-events.mjs';

const say = (value) => console.log(JSON.stringify(value));

function serve(answer) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1', () => say({ port: server.address().port }));
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Sends so many requests over an undici pool, so many at once. @param request of a number @param isTaken checks an answer */
async function send([port, total, atOnce], request, isTaken) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: atOnce, pipelining: 1 });
  let sent = 0;
  const loop = async () => {
    while (sent < total) {
      const { statusCode, body } = await pool.request({ method: 'POST', ...request(sent++) });
      const text = await body.text();
      if (!isTaken(statusCode, text)) throw new Error(`answered ${statusCode} ${text}`);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, loop));
  say({ seconds: (performance.now() - began) / 1000 });
  await pool.close();
}

/** Rows of recipients by LOAD DATA into a table of the same shape, one durable commit a request. */
async function accept() {
  const pool = mysql.createPool({ uri: process.env.DATABASE_URL, connectionLimit: 4, flags: ['+LOCAL_FILES'] });
  // MySQL refuses it by default
  await pool.query('SET GLOBAL local_infile = 1');
  await pool.query('CREATE TABLE IF NOT EXISTS bench_recipients LIKE campaign_recipients');
  let id = Date.now() * 1000;
  serve(async (request, response) => {
    const { contacts, to = contacts } = await bodyOf(request);
    const campaign = ++id;
    const at = new Date().toISOString().replace('T', ' ').slice(0, 23);
    let lines = '';
    for (let i = 0; i < to.length; i++) lines += `${campaign}\t${i + 1}\t${to[i]}\t0\t0\t\\N\t\\N\t\\N\t${at}\n`;
    const connection = await pool.getConnection();
    await connection.beginTransaction();
    await connection.query({
      sql: `LOAD DATA LOCAL INFILE 'rows' INTO TABLE bench_recipients (campaign_id, seq, receiver, status, attempts, error_code, error_message, duration, updated_at)`,
      infileStreamFactory: () => Readable.from([Buffer.from(lines, 'latin1')]),
    });
    await connection.commit();
    connection.release();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ request_id: String(campaign), Credits: to.length }));
  });
}

const LABELS = ['PP1', 'SENT', 'DELIVERED', 'DELIVERED', 'FAILED', 'CANCELLED'];
const CHUNK = 4_000;

/** The report of a campaign: rows as arrays, keyset chunks, text put together by hand. `GET /<campaign id>` */
function report() {
  const pool = mysql.createPool({ uri: process.env.DATABASE_URL, connectionLimit: 2, rowsAsArray: true });
  serve(async (request, response) => {
    const id = Number(request.url.slice(1));
    const before = `{"event":"gsm.status.update","providerMessageId":"bench-${id}","receiver":"`;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.write('{"records":[');
    for (let seq = 0, separator = ''; ;) {
      const [rows] = await pool.query(
        `SELECT seq, receiver, status, error_code, error_message FROM campaign_recipients
         WHERE campaign_id = ? AND seq > ? ORDER BY seq LIMIT ${CHUNK}`,
        [id, seq],
      );
      let text = '';
      for (const [, receiver, status, code, message] of rows) {
        text += `${separator}${before}${receiver}","status":"${LABELS[status]}","status_code":${status === 4 ? 1 : 0},"error_code":${code},"errorMessage":${message === null ? 'null' : JSON.stringify(message)}}`;
        separator = ',';
      }
      if (!response.write(text)) await once(response, 'drain');
      if (rows.length < CHUNK) break;
      seq = rows[rows.length - 1][0];
    }
    response.end(']}');
  });
}

/** Counts the rows of a CSV body by csv-parse. */
function csv() {
  serve((request, response) => {
    const parser = parse({ bom: true, relax_column_count: true });
    let rows = 0;
    parser.on('readable', () => {
      while (parser.read() !== null) rows += 1;
    });
    parser.on('end', () => response.end(JSON.stringify({ rows })));
    request.pipe(parser);
  });
}

/** Messages over one session of the package `smpp`. */
function submit([port, total, window]) {
  const session = smpp.connect({ url: `smpp://127.0.0.1:${port}`, auto_enquire_link_period: 0 });
  const short_message = 'Hello from the benchmark';
  const settings = { data_coding: 0, registered_delivery: 1, dest_addr_ton: 1, dest_addr_npi: 1 };
  let [sent, answered, began] = [0, 0, 0];
  const next = () => {
    const destination_addr = String(919_000_000_000 + sent++);
    session.submit_sm({ destination_addr, short_message, ...settings }, () => {
      answered += 1;
      if (sent < total) next();
      else if (answered === total) {
        say({ seconds: (performance.now() - began) / 1000 });
        process.exit(0);
      }
    });
  };
  session.on('connect', () =>
    session.bind_transceiver({ system_id: 'bench', password: 'bench' }, () => {
      began = performance.now();
      for (let i = 0; i < window && sent < total; i++) next();
    }),
  );
}

const chat = (sizes) => {
  const headers = { authorization: 'Bearer token-of-the-bench', 'content-type': 'application/json' };
  const request = (index) => ({
    ...{ path: GRAPH_PATH, headers },
    body: graphMessage(String(919_000_000_000 + index), `1-${index}`),
  });
  return send(sizes, request, (_, text) => JSON.parse(text).messages[0].id);
};

const calls = (sizes) => {
  const headers = {
    authorization: `Basic ${Buffer.from('AC0:token').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const Twiml =
    '<?xml version="1.0" encoding="UTF-8"?><Response><Play>https://us.example/audio/0123456789abcdef.wav</Play><Hangup/></Response>';
  const request = (index) => {
    const number = 919_000_000_000 + index;
    const form = new URLSearchParams({
      ...{ To: `+${number}`, From: '+918000000001', Twiml, Timeout: '30' },
      StatusCallback: `https://us.example/provider/voice/bench/calls/1-${number}/status`,
      ...{ StatusCallbackMethod: 'POST', StatusCallbackEvent: 'completed' },
    });
    return { path: '/2010-04-01/Accounts/AC0/Calls.json', headers, body: form.toString() };
  };
  return send(sizes, request, (_, text) => JSON.parse(text).sid);
};

/** Events, signed as ours are. */
const webhooks = (sizes) => {
  const key = randomBytes(32);
  const request = (index) => {
    const [id, timestamp, body] = [eventId(), String(Math.floor(Date.now() / 1000)), eventBody(index)];
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
    return { path: '/hook', headers: { 'content-type': 'application/json', ...headers }, body };
  };
  return send(sizes, request, (status) => status === 200);
};

const WAYS = { accept, report, csv, submit, chat, calls, webhooks };
const [way, ...sizes] = process.argv.slice(2);
process.on('SIGTERM', () => process.exit(0));
await WAYS[way](sizes.map(Number));
