/**
 * The SMSC of the benchmarks: binds, answers every submit_sm with an id at once. Raw buffers, so that it is never the
 * bottleneck. Prints its port. `smsc.mjs 9188` keeps, for numbers that begin so, when each came and under which id; without
 * it nothing is kept. Commands come as lines of JSON, each is answered by one:
 * `{"take":true}` how many messages came since the last look, and when the first and last did;
 * `{"seen":true}` number and moments (milliseconds since 1970) of every message that was kept;
 * `{"receipts":500}` sends a receipt for every kept message, so many at once, and answers when all are acknowledged;
 * `{"deliver":[["919…","id"]]}` the same for messages of these numbers and ids, all at once;
 * `{"gone":true}` ends all sessions and takes no more, and goes on to answer commands;
 * `{"forget":true}` keeps on with nothing.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const RESPONSE = 0x80000000;
const BIND_TRANSCEIVER = 9;
const SUBMIT_SM = 4;
const DELIVER_SM = 5;
const HEADER = 16;
const prefix = process.argv[2] ?? null;
/** random, and of one length: no two are neighbours in an index */
const newId = () => (prefix === null ? taken.toString(16).padStart(8, '0') : randomBytes(8).toString('hex'));
const clock = () => performance.timeOrigin + performance.now();
const kept = new Map();
const sockets = new Set();
let taken = 0;
let first = 0;
let last = 0;
let sequence = 0;
/** called at each acknowledged receipt */
let acknowledged = () => undefined;

const pdu = (command, number, body) => {
  const whole = Buffer.allocUnsafe(HEADER + body.length);
  whole.writeUInt32BE(whole.length, 0);
  whole.writeUInt32BE(command >>> 0, 4);
  whole.writeUInt32BE(0, 8);
  whole.writeUInt32BE(number, 12);
  body.copy(whole, HEADER);
  return whole;
};

/** Service type, source with its two bytes, destination behind its two. */
function destination(data) {
  const source = data.indexOf(0, HEADER) + 3;
  const at = data.indexOf(0, source) + 3;
  return data.latin1Slice(at, data.indexOf(0, at));
}

function keep(data, id) {
  const number = destination(data);
  if (!number.startsWith(prefix)) return;
  const entry = kept.get(number);
  if (entry) entry.times.push(clock());
  else kept.set(number, { id, times: [clock()] });
}

function answerTo(command, data) {
  if (command === BIND_TRANSCEIVER) return Buffer.from('bench\0', 'latin1');
  if (command !== SUBMIT_SM) return Buffer.alloc(0);
  taken += 1;
  last = Date.now();
  first ||= last;
  const id = newId();
  if (prefix !== null) keep(data, id);
  return Buffer.from(`${id}\0`, 'latin1');
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  sockets.add(socket);
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.delete(socket));
  socket.on('data', (chunk) => {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const answers = [];
    while (data.length >= HEADER) {
      const length = data.readUInt32BE(0);
      if (data.length < length) break;
      const command = data.readUInt32BE(4);
      if (command < RESPONSE) answers.push(pdu(command | RESPONSE, data.readUInt32BE(12), answerTo(command, data)));
      else if (command === (DELIVER_SM | RESPONSE) >>> 0) acknowledged();
      data = data.subarray(length);
    }
    rest = data;
    if (answers.length > 0) socket.write(Buffer.concat(answers));
  });
});

function receiptOf([number, id]) {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:DELIVRD err:000 text:`;
  const head = Buffer.from(`\0\x01\x01${number}\0\x01\x01bench\0\x04\0\0\0\0\0\0\0\0`, 'latin1');
  const body = Buffer.concat([head, Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
  return pdu(DELIVER_SM, ++sequence, body);
}

/** Receipts over the sessions in turn, so many at once. */
function sendReceipts(waiting, atOnce) {
  const sessions = [...sockets];
  let [next, done] = [0, 0];
  return new Promise((resolve) => {
    const fill = () => {
      const lines = sessions.map(() => []);
      for (; next < waiting.length && next - done < atOnce; next++) {
        lines[next % lines.length].push(receiptOf(waiting[next]));
      }
      lines.forEach((some, index) => some.length > 0 && sessions[index].write(Buffer.concat(some)));
    };
    acknowledged = () => {
      done += 1;
      if (done === waiting.length) resolve({ acknowledged: done });
      // several receipts a write
      else if (next - done <= atOnce / 2) fill();
    };
    fill();
  });
}

const COMMANDS = {
  take: () => {
    const answer = { taken, first, last };
    taken = first = last = 0;
    return answer;
  },
  seen: () => ({ seen: [...kept].map(([number, { times }]) => [number, times]) }),
  receipts: (atOnce) =>
    sendReceipts(
      [...kept].map(([number, { id }]) => [number, id]),
      atOnce,
    ),
  deliver: (receipts) => sendReceipts(receipts, receipts.length),
  gone: () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    return {};
  },
  forget: () => {
    kept.clear();
    return {};
  },
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const [name, value] = Object.entries(JSON.parse(line))[0];
  console.log(JSON.stringify(await COMMANDS[name](value)));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
