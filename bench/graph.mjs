/**
 * The chat upstream of the dispatch benchmark: answers every POST with a message id at once, and keeps nothing. Raw sockets,
 * so that it is never the bottleneck. Prints its port.
 */
import { createServer } from 'node:net';

const HEADERS_END = Buffer.from('\r\n\r\n');
let taken = 0;

const answer = () => {
  const id = `wamid.${(++taken).toString(36).padStart(50, 'A')}`;
  const body = `{"messaging_product":"whatsapp","contacts":[{"input":"919000000000","wa_id":"919000000000"}],"messages":[{"id":"${id}","message_status":"accepted"}]}`;
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=UTF-8\r\ncontent-length: ${body.length}\r\nconnection: keep-alive\r\n\r\n${body}`;
};

const server = createServer((socket) => {
  socket.setNoDelay(true);
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let answers = '';
    for (;;) {
      const end = data.indexOf(HEADERS_END);
      if (end < 0) break;
      const length = Number(/content-length: (\d+)/i.exec(data.latin1Slice(0, end))?.[1] ?? 0);
      if (data.length < end + 4 + length) break;
      data = data.subarray(end + 4 + length);
      answers += answer();
    }
    rest = data;
    if (answers !== '') socket.write(answers);
  });
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
