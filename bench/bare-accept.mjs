/**
 * The baseline of the acceptance benchmark: bare node:http, JSON.parse, LOAD DATA of the same rows into a table of the same
 * shape, one durable commit, an answer. No checks, no credits, no authentication.
 */
import { createServer } from 'node:http';
import { bareRows } from './bare-rows.mjs';

const rows = await bareRows(process.env.DATABASE_URL);

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { contacts } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const id = await rows.insert(contacts);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ request_id: String(id), Credits: contacts.length }));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
