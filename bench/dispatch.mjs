import { setTimeout as sleep } from 'node:timers/promises';
import { benchAccount, broadcast, contacts, median, stage, start, verdict } from './stage.mjs';

const ROUNDS = 3;
const CONTACTS = 60_000;
const WINDOW = 200;
const TEXT = 'Hello from the benchmark';

/** A route to the bench's own SMSC. */
export const benchRoute = (admin, port) =>
  admin.call('PUT', '/v6/api/admin/routes/bench', {
    channel: 'sms',
    driver: 'smpp',
    config: { host: '127.0.0.1', port, system_id: 'bench', password: 'bench', window: WINDOW },
  });

/** A broadcast over that route. */
export const benchBroadcast = (client, total) => () =>
  client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast(contacts(total), 'bench'));

/** Sends one campaign and waits until the carrier has all of it and every status is written; answers seconds. */
export async function dispatchOnce(database, total, send) {
  const { request_id: requestId } = await send();
  const accepted = performance.now();
  for (;;) {
    const [[row]] = await database.query(
      `SELECT COALESCE(SUM(k.recipients), 0) AS sent FROM campaigns c JOIN campaign_counters k ON k.campaign_id = c.id AND k.status = 1
       WHERE c.request_id = ?`,
      [requestId],
    );
    if (Number(row.sent) === total) break;
    if (performance.now() - accepted > 300_000) throw new Error(`only ${row.sent} of ${total} were sent`);
    await sleep(20);
  }
  return (performance.now() - accepted) / 1000;
}

/** (b) Contacts a second through worker and SMPP with every status written, over a bare npm smpp loop that writes nothing. */
export async function benchDispatch(environment, say) {
  const set = await stage(environment);
  const smsc = await start('bench/smsc.mjs', [], set.environment);
  try {
    const { port } = await smsc.next();
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await benchRoute(admin, port);
    await set.worker();
    await dispatchOnce(set.database, 5_000, benchBroadcast(client, 5_000));
    const ratios = [];
    const rates = [];
    for (let round = 0; round < ROUNDS; round++) {
      const ours = CONTACTS / (await dispatchOnce(set.database, CONTACTS, benchBroadcast(client, CONTACTS)));
      const loop = await start(
        'bench/bare-submit.mjs',
        [String(port), String(CONTACTS), String(WINDOW), TEXT],
        set.environment,
      );
      const bare = CONTACTS / (await loop.next()).seconds;
      ratios.push(ours / bare);
      rates.push([ours, bare]);
      say(`ours ${ours.toFixed(0)}/s, bare npm smpp ${bare.toFixed(0)}/s`);
    }
    return [
      verdict(
        '(b) dispatch, ours / bare npm smpp',
        median(ratios),
        'at least 0.6',
        `ours ${median(rates.map(([a]) => a)).toFixed(0)}/s, bare ${median(rates.map(([, b]) => b)).toFixed(0)}/s`,
      ),
    ];
  } finally {
    await smsc.stop();
    await set.close();
  }
}
