import { setTimeout as sleep } from 'node:timers/promises';
import { addAccounts, each, sendAs, usernameOf } from '../test/stage/accounts.mjs';
import { addRoute } from '../test/stage/carrier.mjs';
import { broadcast, contacts, until } from '../test/stage/client.mjs';
import { counted, median, quantile, size, timed } from '../test/stage/figures.mjs';
import { verdict } from './results.mjs';
import { onStage, SMS_PATH } from './stage.mjs';

/** Single messages of one measurement, how far apart they leave, with as much again at random, and what is compared. */
const MANY = { count: size('BESIDE_SINGLES', 100), everyMs: 50, of: 'p95' };
/** so rarely that the workers have forgotten the last one (docs/decisions/0064) */
const FEW = { count: size('BESIDE_FEW', 12), everyMs: 2_100, of: 'p50' };
const CAMPAIGN = size('BESIDE_CAMPAIGN', 300_000);
/** so many of them last for as long as a few messages take */
const IN_A_ROW = 4;
const CAMPAIGNS = size('BESIDE_CAMPAIGNS', 2_500);
const WAITING = size('BESIDE_LANES', 1_809);
/** messages of a paced route wait behind slots that another worker has booked, if they do */
const WORKERS = size('BESIDE_WORKERS', 2);
const BROADCAST = 50;
const PACE = 200;
const AT_ONCE = 16;
/** a campaign beside which is measured runs by then */
const UNDER_WAY_MS = 2_000;
/** a message that has not left by then counts as if it left now */
const PATIENCE_MS = 20_000;
/** Numbers that the carrier keeps; those of campaigns begin otherwise. */
const KEPT = '9188';

const clock = () => performance.timeOrigin + performance.now();
let serial = 0;
const singleNumber = () => `${KEPT}${String(serial++).padStart(8, '0')}`;

/** Milliseconds from a request of one recipient to the carrier, p50 and p95. */
async function singles(send, carrier, { count, everyMs }) {
  const left = new Map();
  const answers = [];
  for (let index = 0; index < count; index++) {
    const number = singleNumber();
    left.set(number, clock());
    answers.push(send([number]));
    await sleep(everyMs * (1 + Math.random()));
  }
  await Promise.all(answers);
  const given = clock() + PATIENCE_MS;
  const { answer } = await until(
    () => carrier.seen(),
    (seen) => clock() > given || [...left.keys()].every((number) => seen.has(number)),
  );
  const delays = [...left].map(([number, at]) => (answer.get(number)?.[0] ?? given) - at);
  return { p50: quantile(delays, 0.5), p95: quantile(delays, 0.95) };
}

const text = ({ p50, p95 }) => `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;

/** Recipients that neither left nor were cancelled. */
async function pending(database) {
  const [[row]] = await database.query(
    'SELECT COALESCE(SUM(recipients), 0) AS pending FROM campaign_counters WHERE status = 0',
  );
  return Number(row.pending);
}

/**
 * Single messages at rest, beside what `begin` starts, and at rest again once `end` has stopped it.
 * @returns one line of the results
 */
async function beside({ name, goal, carrier, database, single, begin, end, pattern = MANY }, say) {
  const measure = () => singles(single, carrier, pattern);
  await singles(single, carrier, MANY);
  const before = await measure();
  const load = await begin();
  await sleep(UNDER_WAY_MS);
  const [waiting, began] = [await pending(database), clock()];
  const during = await measure();
  const rate = ((waiting - (await pending(database))) * 1_000) / (clock() - began);
  await end(load);
  await until(
    () => pending(database),
    (left) => left === 0,
  );
  const after = await measure();
  const rest = { p50: (before.p50 + after.p50) / 2, p95: (before.p95 + after.p95) / 2 };
  say(`${name}: ${text(during)}; at rest ${text(before)}, then ${text(after)}; ${rate.toFixed(0)} a second besides`);
  const { of } = pattern;
  return verdict(`${of} of a single message ${name} / at rest`, during[of] / rest[of], goal, text(during));
}

/** A broadcast of 50 over a fast route while lanes of a slow one wait, and what the workers ask the database meanwhile. */
async function slowRoute(set, admin, client, carrier, say) {
  await addRoute(admin, carrier, 'fast');
  await addRoute(admin, carrier, 'slow', { messages_per_second: 1 });
  const once = async () => {
    const numbers = Array.from({ length: BROADCAST }, singleNumber);
    return timed(async () => {
      await client.call('POST', SMS_PATH, broadcast(numbers, 'fast'));
      await until(() => carrier.seen(), (seen) => numbers.every((number) => seen.has(number)), { everyMs: 2 }); // prettier-ignore
    });
  };
  const several = async () => {
    const times = [];
    for (let round = 0; round < 9; round++) times.push(await once());
    return median(times);
  };
  await once();
  const alone = await several();
  const numbers = contacts(10);
  await each(Array.from({ length: WAITING }), AT_ONCE, () => client.call('POST', SMS_PATH, broadcast(numbers, 'slow')));
  await sleep(UNDER_WAY_MS);
  const asked = await counted(set.pool, () => sleep(5_000, 0));
  const during = await several();
  say(`a broadcast of ${BROADCAST}: alone ${alone.toFixed(0)} ms, beside ${WAITING} waiting ${during.toFixed(0)} ms`);
  return [
    verdict(
      `a broadcast of ${BROADCAST} while ${WAITING} lanes of a slow route wait / alone`,
      during / alone,
      'at most 1.5',
      `${during.toFixed(0)} ms, alone ${alone.toFixed(0)} ms`,
    ),
    verdict(`statements a second of ${WORKERS} workers meanwhile`, asked.statements / asked.seconds, 'none yet'),
  ];
}

/** What so many calls of `work` come to, a few of them at once. */
async function allOf(count, work) {
  const results = [];
  await each(Array.from({ length: count }), AT_ONCE, async () => results.push(await work()));
  return results;
}

/** How long single messages wait at rest, and beside large campaigns, many campaigns of another account, and slow routes. */
export const benchBeside = onStage(async (set, say) => {
  const carrier = await set.carrier(KEPT);
  const api = await set.start('api');
  const { admin, client } = await set.signInAt(api);
  await addAccounts(set.pool, 1);
  await addRoute(admin, carrier, 'free');
  for (const name of ['paced', 'shared']) await addRoute(admin, carrier, name, { messages_per_second: PACE });
  for (let workers = 0; workers < WORKERS; workers++) await set.start('worker');
  const send = async (route, numbers) => (await client.call('POST', SMS_PATH, broadcast(numbers, route))).request_id;
  const cancel = (id) => client.call('POST', `/v6/api/campaigns/${id}/cancel`);
  const few = contacts(100);
  const goal = 'at most 1.5';
  const rows = [
    {
      ...{ name: `beside a campaign paced at ${PACE} a second`, goal, single: (numbers) => send('paced', numbers) },
      begin: () => send('paced', contacts(CAMPAIGN)),
      end: cancel,
    },
    {
      ...{ name: 'beside an unpaced campaign', goal, single: (numbers) => send('free', numbers) },
      begin: () => send('free', contacts(CAMPAIGN)),
      end: cancel,
    },
    {
      name: 'now and then beside an unpaced campaign',
      ...{ goal: 'none yet', pattern: FEW, single: (numbers) => send('free', numbers) },
      begin: () => allOf(IN_A_ROW, () => send('free', contacts(CAMPAIGN))),
      end: (ids) => each(ids, AT_ONCE, cancel),
    },
    {
      name: `beside ${CAMPAIGNS} campaigns of another account`,
      goal: 'at most 2',
      single: (numbers) => sendAs(api.url, usernameOf(1), numbers, 'shared'),
      begin: () => allOf(CAMPAIGNS, () => send('shared', few)),
      end: (ids) => each(ids, AT_ONCE, cancel),
    },
  ];
  const lines = [];
  for (const row of rows) lines.push(await beside({ ...row, carrier, database: set.pool }, say));
  return [...lines, ...(await slowRoute(set, admin, client, carrier, say))];
});
