/**
 * Carriers over HTTP that are never the bottleneck: they answer every POST and keep nothing. Raw sockets. Each prints its port.
 *
 * node bench/upstreams.mjs chat: a message id, at once
 * node bench/upstreams.mjs calls: a call id, after 50 ms, as a network at some distance
 */
import { createServer } from 'node:net';

const HEADERS_END = Buffer.from('\r\n\r\n');
const ANSWER_MS = 50;
let taken = 0;

const answer = (status, body) =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: keep-alive\r\n\r\n${body}`;

const UPSTREAMS = {
  chat(socket, count) {
    let answers = '';
    for (; count > 0; count--) {
      const id = `wamid.${(++taken).toString(36).padStart(50, 'A')}`;
      answers += answer(
        '200 OK',
        `{"messaging_product":"whatsapp","contacts":[{"input":"919000000000","wa_id":"919000000000"}],"messages":[{"id":"${id}","message_status":"accepted"}]}`,
      );
    }
    socket.write(answers);
  },
  calls(socket) {
    const body = JSON.stringify({ sid: `CA${String(++taken).padStart(32, '0')}`, status: 'queued' });
    setTimeout(() => socket.write(answer('201 Created', body)), ANSWER_MS);
  },
};
const respond = UPSTREAMS[process.argv[2]];

const server = createServer((socket) => {
  socket.setNoDelay(true);
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let count = 0;
    for (;;) {
      const end = data.indexOf(HEADERS_END);
      if (end < 0) break;
      const length = Number(/content-length: (\d+)/i.exec(data.latin1Slice(0, end))?.[1] ?? 0);
      if (data.length < end + 4 + length) break;
      data = data.subarray(end + 4 + length);
      count += 1;
    }
    rest = data;
    if (count > 0) respond(socket, count);
  });
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
