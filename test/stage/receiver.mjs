/**
 * A customer's server for the webhook benchmark: answers at once, on `/hang` never. Prints its port; on SIGUSR2 the delays of
 * the deliveries since, in milliseconds, sorted: an event's id begins with the moment at which it was written.
 */
import { createServer } from 'node:http';

let delays = [];
const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/hang') return;
  const written = Number.parseInt(request.headers['webhook-id'].slice(4, 16), 16);
  request.on('end', () => {
    delays.push(Date.now() - written);
    response.end('ok');
  });
});

process.on('SIGUSR2', () => {
  console.log(JSON.stringify({ delays: delays.sort((a, b) => a - b) }));
  delays = [];
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
