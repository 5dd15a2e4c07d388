import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { addAccounts, each, sendAs, usernameOf } from '../test/stage/accounts.mjs';
import { addRoute } from '../test/stage/carrier.mjs';
import { broadcast, contacts, until } from '../test/stage/client.mjs';
import { counted, processorSeconds, size } from '../test/stage/figures.mjs';
import { verdict } from './results.mjs';
import { onStage, sendSms, SMS_PATH } from './stage.mjs';

const SINGLES = size('SINGLES', 10_000);
const BULK = size('BULK', 30_000);
const ACCOUNTS = 100;
const AT_ONCE = 64;

/** One-recipient messages, each a request of its own, of so many accounts. */
const acceptSingles = (url, numbers, accounts) =>
  each(numbers, AT_ONCE, (number, index) =>
    sendAs(url, accounts === 1 ? 'bench' : usernameOf(1 + (index % accounts)), [number], 'bench'),
  );

/** Recipients of all campaigns in a status, as it is stored: 0 before they are sent, 1 sent. */
async function inStatus(pool, status) {
  const sql = 'SELECT COALESCE(SUM(recipients), 0) AS total FROM campaign_counters WHERE status = ?';
  return Number((await pool.query(sql, [status]))[0][0].total);
}

/** Starts a worker on what waits and counts until the carrier has all of it and every status is written. */
async function sendWaiting(set, carrier, total) {
  const look = () => inStatus(set.pool, 1);
  const before = await look();
  await carrier.ask({ take: true });
  let worker;
  const { statements, commits } = await counted(set.pool, async () => {
    worker = await set.start('worker');
    return (await until(look, (sent) => sent >= before + total, { everyMs: 200 })).polls;
  });
  await worker.stop();
  const { taken, first, last } = await carrier.ask({ take: true });
  if (taken !== total) throw new Error(`the carrier got ${taken} of ${total}`);
  return { statements: statements / total, commits: commits / total, rate: (total * 1000) / Math.max(1, last - first) };
}

/**
 * What a message costs the database on its way to the carrier: of 10,000 one-recipient messages that wait, and of a campaign.
 * The API rests meanwhile, and what a worker does at its start and once a second is counted with it.
 */
export const benchSingles = onStage(async (set, say) => {
  const carrier = await set.carrier();
  let api = await set.start('api');
  const { admin, client } = await set.signInAt(api);
  await addAccounts(set.pool, ACCOUNTS);
  await addRoute(admin, carrier);
  const lines = [];
  const show = (name, goals, { statements, commits, rate }) => {
    lines.push(
      verdict(`${name}: statements a message`, statements, goals[0], `${rate.toFixed(0)} messages a second`),
      verdict(`${name}: durable commits a message`, commits, goals[1]),
    );
    say(`${name}: ${statements.toFixed(2)} statements, ${commits.toFixed(3)} commits, ${rate.toFixed(0)}/s`);
    return rate;
  };
  await sendSms(client, BULK);
  await api.stop();
  const bulk = show(`a campaign of ${BULK}`, ['at most 0.06', 'no goal'], await sendWaiting(set, carrier, BULK));
  for (const accounts of [1, ACCOUNTS]) {
    api = await set.start('api');
    await acceptSingles(api.url, contacts(SINGLES), accounts);
    await api.stop();
    const name = `${SINGLES} single messages of ${accounts} account${accounts > 1 ? 's' : ''}`;
    const rate = show(name, ['at most 1', 'at most 0.1'], await sendWaiting(set, carrier, SINGLES));
    lines.push(verdict(`${name}: messages a second / those of a campaign`, rate / bulk, 'none yet'));
  }
  return lines;
});

const TRIPS = size('TRIPS', 100);
const ACCEPTS = 5 * TRIPS;
/** far enough apart that each message is sent alone */
const APART_MS = 150;
const REST_MS = 10_000;

/** A process that reaches the database by a way of its own, whose round trips are counted on the wire. */
async function onWire(set, kind) {
  const url = new URL(set.environment.DATABASE_URL);
  const way = await set.way({ host: url.hostname, port: Number(url.port) });
  const app = await set.start(kind, { DATABASE_URL: way.through(url.href) });
  let trips = 0;
  way.tap(({ from, line: { notes } }) => {
    // one trip, however many packets and statements: the client begins to speak after the server
    if (from === 'client' && notes.last !== 'client') trips += 1;
    notes.last = from;
  });
  return { app, trips: () => trips };
}

/**
 * Round trips of a process, and statements of all, while `work` runs, each without what happens at rest.
 * @param atRest figures a second, of `costs` over a time in which nothing happens
 */
async function costs(set, { app, trips }, work, atRest = { trips: 0, statements: 0 }) {
  const [tripsBefore, processorBefore] = [trips(), processorSeconds(app.pid)];
  const { statements, seconds } = await counted(set.pool, async () => (await work()) ?? 0);
  return {
    ...{ trips: trips() - tripsBefore - atRest.trips * seconds, statements: statements - atRest.statements * seconds },
    ...{ microseconds: (processorSeconds(app.pid) - processorBefore) * 1e6, seconds },
  };
}

async function costsAtRest(set, process) {
  await sleep(REST_MS);
  const { trips, statements, seconds } = await costs(set, process, () => sleep(REST_MS, 0));
  return { trips: trips / seconds, statements: statements / seconds };
}

/** Sends messages of one recipient, each when the one before is answered. */
async function accepts({ url }, token, count, { keyed = false, everyMs = 0 } = {}) {
  for (let index = 0; index < count; index++) {
    const key = keyed ? { 'idempotency-key': randomUUID() } : {};
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...key };
    const body = broadcast([String(918_800_000_000 + index)], 'bench');
    const response = await fetch(url + SMS_PATH, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
    if (everyMs > 0) await sleep(everyMs);
  }
}

/**
 * What one message alone costs: round trips to the database, counted on the wire; statements, as the server counts them; and
 * processor time of the API. Of its acceptance (alone, with a key), of its dispatch and of its receipt.
 */
export const benchTrips = onStage(async (set, say) => {
  const carrier = await set.carrier('9188');
  const api = await onWire(set, 'api');
  const { admin, client } = await set.signInAt(api.app);
  await addRoute(admin, carrier);
  const furnished = await set.start('furnished', {}, { program: 'bench/furnished-nest.mjs' });
  const lines = [];
  const show = (name, count, cost, goal) => {
    const [trips, statements] = [cost.trips / count, cost.statements / count];
    say(`${name}: ${trips.toFixed(2)} round trips, ${statements.toFixed(2)} statements`);
    lines.push(verdict(`round trips of ${name}`, trips, goal), verdict(`statements of ${name}`, statements, 'none'));
  };
  const accept = async (options) => {
    await accepts(api.app, client.token, ACCEPTS / 2, options);
    return costs(set, api, () => accepts(api.app, client.token, ACCEPTS, options));
  };
  const alone = await accept({});
  show('an accept', ACCEPTS, alone, 'at most 2');
  show('an accept with a key', ACCEPTS, await accept({ keyed: true }), 'at most 2');
  await accepts(furnished, client.token, ACCEPTS / 2);
  const before = processorSeconds(furnished.pid);
  await accepts(furnished, client.token, ACCEPTS);
  const floor = (processorSeconds(furnished.pid) - before) * 1e6;
  const text = `ours ${(alone.microseconds / ACCEPTS).toFixed(0)} µs, furnished Nest ${(floor / ACCEPTS).toFixed(0)} µs`;
  lines.push(verdict('processor time of an accept, ours / furnished Nest', alone.microseconds / floor, 'none', text));
  // what was accepted so far is not sent one by one
  const worker = await onWire(set, 'worker');
  await until(() => inStatus(set.pool, 0), (waiting) => waiting === 0, { everyMs: 500 }); // prettier-ignore
  await carrier.ask({ forget: true });
  const atRest = await costsAtRest(set, worker);
  const sent = await costs(set, worker, () => accepts(api.app, client.token, TRIPS, { everyMs: APART_MS }), atRest);
  sent.statements -= (alone.statements * TRIPS) / ACCEPTS;
  show('its dispatch', TRIPS, sent, 'none');
  await until(() => inStatus(set.pool, 0), (waiting) => waiting === 0); // prettier-ignore
  await sleep(REST_MS / 4);
  const received = await costs(set, worker, async () => void (await carrier.ask({ receipts: 1 })), atRest);
  show('its receipt', TRIPS, received, 'none');
  return lines;
});
