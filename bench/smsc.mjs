/**
 * The SMSC of the dispatch benchmark: binds, answers every submit_sm with an id at once, and keeps nothing. Raw buffers, so
 * that it is never the bottleneck. Prints its port; on SIGUSR2 prints how many messages it took, and when the first and last came.
 */
import { createServer } from 'node:net';

const RESPONSE = 0x80000000;
const BIND_TRANSCEIVER = 9;
const SUBMIT_SM = 4;
let taken = 0;
let first = 0;
let last = 0;

const answer = (command, sequence, body) => {
  const pdu = Buffer.allocUnsafe(16 + body.length);
  pdu.writeUInt32BE(pdu.length, 0);
  pdu.writeUInt32BE((command | RESPONSE) >>> 0, 4);
  pdu.writeUInt32BE(0, 8);
  pdu.writeUInt32BE(sequence, 12);
  body.copy(pdu, 16);
  return pdu;
};

const bodyFor = (command) => {
  if (command === SUBMIT_SM) return Buffer.from(`${taken.toString(16).padStart(8, '0')}\0`, 'latin1');
  return command === BIND_TRANSCEIVER ? Buffer.from('bench\0', 'latin1') : Buffer.alloc(0);
};

const server = createServer((socket) => {
  socket.setNoDelay(true);
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const answers = [];
    while (data.length >= 16) {
      const length = data.readUInt32BE(0);
      if (data.length < length) break;
      const command = data.readUInt32BE(4);
      if (command === SUBMIT_SM) {
        taken += 1;
        last = Date.now();
        first ||= last;
      }
      if (command < RESPONSE) answers.push(answer(command, data.readUInt32BE(12), bodyFor(command)));
      data = data.subarray(length);
    }
    rest = data;
    if (answers.length > 0) socket.write(Buffer.concat(answers));
  });
});

process.on('SIGUSR2', () => {
  console.log(JSON.stringify({ taken, first, last }));
  taken = first = last = 0;
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
