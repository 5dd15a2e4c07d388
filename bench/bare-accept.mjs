/**
 * The baseline of the acceptance benchmark: bare node:http, JSON.parse, LOAD DATA of the same rows into a table of the same
 * shape, one durable commit, an answer. No checks, no credits, no authentication.
 */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import mysql from 'mysql2/promise';

const pool = mysql.createPool({ uri: process.env.DATABASE_URL, connectionLimit: 4, flags: ['+LOCAL_FILES'] });
await pool.query('CREATE TABLE IF NOT EXISTS bench_recipients LIKE campaign_recipients');
let campaign = Date.now() * 1000;

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { contacts } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const id = ++campaign;
  const at = new Date().toISOString().replace('T', ' ').slice(0, 23);
  let lines = '';
  for (let i = 0; i < contacts.length; i++) lines += `${id}\t${i + 1}\t${contacts[i]}\t0\t0\t\\N\t\\N\t\\N\t${at}\n`;
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    await connection.query({
      sql: `LOAD DATA LOCAL INFILE 'rows' INTO TABLE bench_recipients (campaign_id, seq, receiver, status, attempts, error_code, error_message, duration, updated_at)`,
      infileStreamFactory: () => Readable.from([Buffer.from(lines, 'latin1')]),
    });
    await connection.commit();
  } finally {
    connection.release();
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ request_id: String(id), Credits: contacts.length }));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
