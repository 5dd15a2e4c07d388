import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { benchAccount, broadcast, contacts, median, PASSWORD, signIn, stage, start, verdict } from './stage.mjs';
import { makeDue, writeEvents } from './webhook-events.mjs';

const ROUNDS = 3;
const EVENTS = 20_000;
/** WEBHOOK_CONCURRENCY as it stands */
const AT_ONCE = 8;
const RECIPIENTS = 30_000;
const HANGING_WEBHOOKS = 10;
/** events of the customer whose delays are looked at */
const STEADY = { batches: 150, size: 5, everyMs: 100 };

/** (i) Webhooks delivered and logged a second to one endpoint, over a bare undici pool that signs, posts and writes nothing. */
async function throughput(set, hook, receiver, port, say) {
  await deliver(set.database, hook, 2_000);
  const rates = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ours = EVENTS / (await deliver(set.database, hook, EVENTS));
    const loop = await start('bench/bare-webhooks.mjs', [port, EVENTS, AT_ONCE].map(String), set.environment);
    const bare = EVENTS / (await loop.next()).seconds;
    rates.push([ours, bare]);
    say(`ours ${ours.toFixed(0)}/s, bare undici ${bare.toFixed(0)}/s`);
  }
  await delays(receiver);
  return verdict(
    '(i) webhooks, ours / bare undici',
    median(rates.map(([ours, bare]) => ours / bare)),
    'at least 0.3',
    `ours ${median(rates.map(([ours]) => ours)).toFixed(0)}/s, bare ${median(rates.map(([, bare]) => bare)).toFixed(0)}/s`,
  );
}

/** Seconds until all of these have arrived and are written. */
async function deliver(database, hook, total) {
  await writeEvents(database, hook, total, true);
  await database.query('UPDATE webhook_deliveries SET due_at = UTC_TIMESTAMP(3) WHERE endpoint_id = ?', [
    hook.endpoint,
  ]);
  await makeDue(database, hook.endpoint);
  const started = performance.now();
  await nothingDue(database, hook);
  return (performance.now() - started) / 1000;
}

async function nothingDue(database, { endpoint }) {
  for (let tries = 0; tries < 30_000; tries++) {
    const [rows] = await database.query('SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ? LIMIT 1', [endpoint]);
    if (rows.length === 0) return;
    await sleep(20);
  }
  throw new Error('not everything was delivered');
}

/** (j) Another customer's delays beside ten endpoints that never answer, over its delays alone. */
async function isolation(set, hook, neighbour, receiver, say) {
  const { database } = set;
  const steady = async () => {
    for (let batch = 0; batch < STEADY.batches; batch++) {
      await Promise.all([writeEvents(database, hook, STEADY.size), sleep(STEADY.everyMs)]);
    }
    await nothingDue(database, hook);
    const sorted = await delays(receiver);
    return [sorted[Math.floor(sorted.length / 2)], sorted[Math.floor(sorted.length * 0.99)]];
  };
  const alone = await steady();
  for (const endpoint of neighbour) await writeEvents(database, endpoint, 1_000);
  await sleep(1_000);
  const beside = await steady();
  say(`alone p50 ${alone[0]} ms, p99 ${alone[1]} ms; beside hanging ones p50 ${beside[0]} ms, p99 ${beside[1]} ms`);
  return ['p50', 'p99'].map((name, index) =>
    verdict(
      `(j) ${name} of the delay beside ${HANGING_WEBHOOKS} hanging endpoints / alone`,
      beside[index] / alone[index],
      'at most 1.5',
      `${beside[index]} ms, alone ${alone[index]} ms`,
    ),
  );
}

async function delays(receiver) {
  const answer = receiver.next();
  receiver.child.kill('SIGUSR2');
  return (await answer).delays;
}

/** (k) Settling 30,000 recipients: with none listening over no look at the endpoints at all, and with one listening over none. */
async function settlement(set, listener, silent, say) {
  const settler = await start('bench/settle.mjs', [], set.environment, 'pipe');
  await settler.next();
  const settle = async (client, mode) => {
    const { request_id: requestId } = await client.call(
      'POST',
      '/webhook/api/addbroadcastgsm.php',
      broadcast(contacts(RECIPIENTS)),
    );
    const answer = settler.next();
    settler.child.stdin.write(`${requestId} ${mode}\n`);
    return RECIPIENTS / (await answer).seconds;
  };
  await settle(silent, 'heard');
  const rates = [];
  const ways = [() => settle(silent, 'unheard'), () => settle(silent, 'heard'), () => settle(listener, 'heard')];
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const row = [];
    // Each way comes first, second and last as often as the others.
    for (let turn = 0; turn < ways.length; turn++) {
      const way = (round + turn) % ways.length;
      row[way] = await ways[way]();
    }
    const [unheard, none, heard] = row;
    rates.push(row);
    say(`no look ${unheard.toFixed(0)}/s, none listens ${none.toFixed(0)}/s, one does ${heard.toFixed(0)}/s`);
  }
  settler.child.stdin.end();
  await once(settler.child, 'exit');
  const rate = (index) => median(rates.map((row) => row[index])).toFixed(0);
  return [
    verdict(
      '(k) settlement, none listens / no look',
      median(rates.map(([unheard, none]) => none / unheard)),
      'at least 0.8',
      `${rate(1)}/s, without a look ${rate(0)}/s`,
    ),
    verdict(
      '(k) settlement, one listens / none does',
      median(rates.map(([, none, heard]) => heard / none)),
      'at least 0.4',
      `${rate(2)}/s, none ${rate(1)}/s`,
    ),
  ];
}

/** Customers' webhooks: what a delivery costs, what a silent neighbour costs, and what the events cost their statuses. */
export async function benchWebhooks(environment, say) {
  const set = await stage(environment);
  const receiver = await start('bench/receiver.mjs', [], set.environment);
  try {
    const { port } = await receiver.next();
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    const names = ['neighbour', 'silent'];
    for (const username of names) {
      await admin.call('POST', '/v6/api/admin/accounts', {
        username,
        password: PASSWORD,
        firstname: 'B',
        lastname: 'M',
      });
    }
    const [neighbour, silent] = await Promise.all(names.map((name) => signIn(api.url, name)));
    await admin.call('POST', '/v6/api/admin/accounts/silent/credits', { balance: 'gsm_credits', amount: 10_000_000 });
    const hookOf = async (username, { call }, path) => {
      const url = `http://127.0.0.1:${port}${path}`;
      const { data } = await call('POST', '/v6/api/webhooks', { url, events: ['gsm.status.update'] });
      const [[account]] = await set.database.query('SELECT id FROM accounts WHERE username = ?', [username]);
      return { account: account.id, endpoint: data.id };
    };
    const hook = await hookOf('bench', client, '/hook');
    const lines = await settlement(set, client, silent, say);
    await set.database.query('DELETE FROM webhook_deliveries');
    // The campaigns of the settlement are no worker's any more.
    await set.database.query('UPDATE campaign_lanes SET wake_at = NULL');
    await set.worker();
    lines.unshift(await throughput(set, hook, receiver, port, say));
    const hanging = [];
    for (let index = 0; index < HANGING_WEBHOOKS; index++) hanging.push(await hookOf('neighbour', neighbour, '/hang'));
    lines.push(...(await isolation(set, hook, hanging, receiver, say)));
    return lines;
  } finally {
    await set.close();
    await receiver.stop();
  }
}
