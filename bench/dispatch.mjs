import { setTimeout as sleep } from 'node:timers/promises';
import { addRoute, startCarrier, WINDOW } from './carrier.mjs';
import { benchAccount, broadcast, contacts, median, stage, start, verdict } from './stage.mjs';

const ROUNDS = 3;
const CONTACTS = 60_000;
const TEXT = 'Hello from the benchmark';

/** A broadcast over the route `bench`. */
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

/**
 * (b) Contacts a second through worker and SMPP with every status written, over a bare npm smpp loop that writes nothing. The goals of
 * (a), (b) and (f): what was reached before recipients had terms of their own, measured beside it on one machine.
 */
export async function benchDispatch(environment, say) {
  const set = await stage(environment);
  const carrier = await startCarrier(set.environment);
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addRoute(admin, carrier);
    await set.worker();
    await dispatchOnce(set.database, 5_000, benchBroadcast(client, 5_000));
    const ratios = [];
    const rates = [];
    for (let round = 0; round < ROUNDS; round++) {
      const ours = CONTACTS / (await dispatchOnce(set.database, CONTACTS, benchBroadcast(client, CONTACTS)));
      const loop = await start(
        'bench/bare-submit.mjs',
        [String(carrier.port), String(CONTACTS), String(WINDOW), TEXT],
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
        'at least 0.89',
        `ours ${median(rates.map(([a]) => a)).toFixed(0)}/s, bare ${median(rates.map(([, b]) => b)).toFixed(0)}/s`,
      ),
    ];
  } finally {
    await carrier.stop();
    await set.close();
  }
}

/** a place where no directory can be, so that a worker notes nothing (docs/decisions/0015) */
const NOWHERE = '/dev/null/nowhere';
const NOTE_ROUNDS = 5;

/** What the notes of submits cost: the same dispatch by a worker that writes them, and by one that cannot. */
export async function benchNotes(environment, say) {
  const set = await stage(environment);
  const carrier = await startCarrier(set.environment);
  const noted = set.environment.DATA_DIR;
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addRoute(admin, carrier);
    const rate = async (directory) => {
      set.environment.DATA_DIR = directory;
      const worker = await set.worker();
      await dispatchOnce(set.database, 5_000, benchBroadcast(client, 5_000));
      const seconds = await dispatchOnce(set.database, CONTACTS, benchBroadcast(client, CONTACTS));
      await worker.stop();
      return CONTACTS / seconds;
    };
    const rates = [];
    for (let round = 0; round < NOTE_ROUNDS; round++) {
      rates.push([await rate(noted), await rate(NOWHERE)]);
      say(`with notes ${rates[round][0].toFixed(0)}/s, without ${rates[round][1].toFixed(0)}/s`);
    }
    return [
      verdict(
        'dispatch with notes of submits / without',
        median(rates.map(([own, bare]) => own / bare)),
        'at least 0.97',
        `${median(rates.map(([own]) => own)).toFixed(0)}/s, ${median(rates.map(([, bare]) => bare)).toFixed(0)}/s`,
      ),
    ];
  } finally {
    await carrier.stop();
    await set.close();
  }
}
