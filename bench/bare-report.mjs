/**
 * The bare stream beside the report: node:http and mysql2, rows as arrays, keyset chunks of 4,000, text put together by
 * hand. No token, no account, no counters. Prints its port; `GET /<campaign id>`.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import mysql from 'mysql2/promise';

const LABELS = ['PP1', 'SENT', 'DELIVERED', 'DELIVERED', 'FAILED', 'CANCELLED'];
const CHUNK = 4_000;
const pool = mysql.createPool({ uri: process.env.DATABASE_URL, connectionLimit: 2, rowsAsArray: true });

const server = createServer(async (request, response) => {
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
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
