/**
 * 200 bodies that cost much more than their bytes, and 200 connections that send most of a large one and then nothing, from
 * callers who are not known. Its own process, so that the one that measures is not held up.
 * Arguments: the address of the API. Says in one line how often which status was answered to the first 200.
 */
import { request } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const MB = 1024 * 1024;
const { hostname, port } = new URL(process.argv[2]);
const BROADCAST = '/webhook/api/addbroadcastgsm.php';

const lists = Buffer.from(`[${'[],'.repeat(3_300_000)}[]]`);
const [brotli, gzip] = [brotliCompressSync(lists), gzipSync(lists)];
const raw = Buffer.from(`{"username":"nobody","contacts":[${'[],'.repeat(600_000)}[]]}`);
const form = Buffer.from('contacts=1&'.repeat(99_000));
const deep = Buffer.from('['.repeat(65_000));

const BOMBS = [
  ['/health/live', brotli, { 'content-encoding': 'br' }],
  ['/nowhere', brotli, { 'content-encoding': 'br' }],
  ['/v6/api/v1/auth/login', brotli, { 'content-encoding': 'br' }],
  [BROADCAST, gzip, { 'content-encoding': 'gzip' }],
  ['/v6/api/campaigns', brotli, { 'content-encoding': 'br' }],
  ['/provider/chat/1', brotli, { 'content-encoding': 'br', 'x-hub-signature-256': 'sha256=0' }],
  ['/v6/api/v1/auth/login', deep, {}],
  [BROADCAST, raw, {}],
  [BROADCAST, form, { 'content-type': 'application/x-www-form-urlencoded' }],
  ['/webhook/api/getGSMreport.php', deep, {}],
];

const bomb = ([path, body, headers]) =>
  new Promise((resolve) => {
    const all = { 'content-type': 'application/json', 'content-length': body.length, ...headers };
    const out = request({ hostname, port, path, method: 'POST', headers: all, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    out.on('error', () => resolve('broken off'));
    out.end(body);
  });

function fallSilent() {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.on('data', () => undefined);
  socket.write(
    `POST ${BROADCAST} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${10 * MB}\r\n\r\n{"username":"`,
  );
  socket.write(Buffer.alloc(9 * MB, 97));
}

for (let count = 0; count < 200; count++) fallSilent();
const statuses = await Promise.all(Array.from({ length: 200 }, (_, index) => bomb(BOMBS[index % BOMBS.length])));
const counts = {};
for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
process.stdout.write(`${JSON.stringify(counts)}\n`);
