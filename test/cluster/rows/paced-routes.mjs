import { once } from 'node:events';
import { createServer } from 'node:http';
import { benchChat, TEMPLATE_PATH, templateCampaign } from '../../stage/chat.mjs';
import { contacts, until } from '../../stage/client.mjs';
import { processorSeconds, statements } from '../../stage/figures.mjs';

const ROUTES = 1_000;
const PER_SECOND = 2;
const RECIPIENTS = 44;
const WARM_MS = 6_000;
const MEASURED_MS = 10_000;
const GOAL = 0.95;

export const name = 'paced-routes';
export const shown = '1,000 chat routes paced to 2 messages a second each, one worker';
export const goal = `at least ${GOAL} of 2,000/s`;
export const needs = [];

/** A chat upstream that takes every message, and counts them. */
async function startUpstream() {
  const upstream = { times: [] };
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      upstream.times.push(performance.now());
      const messages = [{ id: `wamid.${upstream.times.length}`, message_status: 'accepted' }];
      const body = { messaging_product: 'whatsapp', contacts: [{ input: '91', wa_id: '91' }], messages };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  upstream.port = server.address().port;
  upstream.stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return upstream;
}

/** Stores rows that differ from stored ones in some columns. */
async function copies(pool, table, where, count, changes) {
  const [rows] = await pool.query(`SELECT * FROM ${table} WHERE ${where}`);
  const all = Array.from({ length: count }, (_, index) => rows.map((row) => ({ ...row, ...changes(row, index + 1) })));
  const flat = all.flat();
  const columns = Object.keys(flat[0]);
  for (let from = 0; from < flat.length; from += 2_000) {
    const values = flat.slice(from, from + 2_000).map((row) => columns.map((column) => row[column]));
    await pool.query('INSERT INTO ?? (??) VALUES ?', [table, columns, values]);
  }
}

/** Of one account with a paced chat route and a campaign that nothing has left of: 999 more. */
async function multiply(pool) {
  const last = async (table) => Number((await pool.query(`SELECT MAX(id) AS id FROM ${table}`))[0][0].id);
  const own = "(SELECT id FROM accounts WHERE username = 'bench')";
  const [accounts, routes] = [await last('accounts'), await last('routes')];
  const more = ROUTES - 1;
  await copies(pool, 'accounts', "username = 'bench'", more, (_, place) => ({
    ...{ id: accounts + place, username: `bench${place}` },
  }));
  await copies(pool, 'routes', `account_id = ${own}`, more, (_, place) => ({
    ...{ id: routes + place, name: `chat/bench${place}`, account_id: accounts + place },
  }));
  await copies(pool, 'campaigns', `account_id = ${own}`, more, ({ id }, place) => ({
    ...{ id: Number(id) + place, account_id: accounts + place, route_id: routes + place, request_id: `PACED_${place}` },
  }));
  const ofCampaign = ({ campaign_id: id }, place) => ({ campaign_id: Number(id) + place });
  const where = `campaign_id = (SELECT id FROM campaigns WHERE account_id = ${own})`;
  for (const table of ['campaign_recipients', 'campaign_counters']) await copies(pool, table, where, more, ofCampaign);
  await copies(pool, 'campaign_lanes', where, more, (row, place) => ({
    ...ofCampaign(row, place),
    ...{ account_id: accounts + place, route_id: routes + place },
  }));
}

export async function run(stage) {
  const upstream = await startUpstream();
  stage.onEnd(() => upstream.stop());
  const api = await stage.start('api');
  const { admin, client } = await stage.signInAt(api);
  await benchChat(admin, client, upstream.port);
  const speed = { messages_per_second: PER_SECOND };
  const { data: route } = await admin.call('GET', '/v6/api/admin/chat-accounts/bench');
  await admin.call('PUT', '/v6/api/admin/chat-accounts/bench', {
    ...{ provider: route.provider, url: route.url, token: '***' },
    ...speed,
  });
  await client.call('POST', TEMPLATE_PATH, templateCampaign(contacts(RECIPIENTS)));
  await multiply(stage.pool);
  const worker = await stage.start('worker');
  await until(
    () => upstream.times.length,
    (count) => count > 0,
    { everyMs: 10 },
  );
  const from = upstream.times[0] + WARM_MS;
  await until(
    () => performance.now(),
    (now) => now >= from,
    { everyMs: 10 },
  );
  const [asked, used] = [await statements(stage.pool), processorSeconds(worker.pid)];
  await until(
    () => performance.now(),
    (now) => now >= from + MEASURED_MS,
    { everyMs: 10 },
  );
  const seconds = MEASURED_MS / 1_000;
  const perSecond = ((await statements(stage.pool)) - asked) / seconds;
  const cpu = (processorSeconds(worker.pid) - used) / seconds;
  const taken = upstream.times.filter((at) => at >= from && at < from + MEASURED_MS).length / seconds;
  const ratio = taken / (ROUTES * PER_SECOND);
  return {
    figure: ratio.toFixed(3),
    ok: ratio >= GOAL,
    text:
      `${taken.toFixed(0)} messages a second, ${perSecond.toFixed(0)} statements a second ` +
      `(${(perSecond / taken).toFixed(2)} a message), ${cpu.toFixed(2)} processors of the worker`,
  };
}
