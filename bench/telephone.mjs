/** A telephone network that answers the creation of each call after a fixed time and never rings. */
import { createServer } from 'node:http';

const ANSWER_MS = Number(process.argv[2] ?? 50);
let calls = 0;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const body = JSON.stringify({ sid: `CA${String(++calls).padStart(32, '0')}`, status: 'queued' });
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    setTimeout(() => response.writeHead(201, headers).end(body), ANSWER_MS);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
process.on('SIGTERM', () => process.exit(0));
