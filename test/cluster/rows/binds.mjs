import { broadcast, contacts, until } from '../../stage/client.mjs';
import { median, statements } from '../../stage/figures.mjs';
import { startCountingSmsc } from '../servers/counting-smsc.mjs';

const ROUTE = 'counted';
const RECIPIENTS = 20_000;
const PAIRS = 3;
const GOAL = 0.9;
const TAKEN_OVER_MS = 15_000;

export const name = 'binds';
export const shown = 'route of two binds, six workers, a carrier that refuses a third; then kill -9 of a holder';
export const goal = `at least ${GOAL} of two workers' rate, 0 lost, 0 doubled`;
export const needs = [];

const put = (admin, { port }, binds) =>
  admin.call('PUT', `/v6/api/admin/routes/${ROUTE}`, {
    channel: 'sms',
    driver: 'smpp',
    config: { host: '127.0.0.1', port, system_id: 'counted', password: 'x', window: 200 },
    binds,
  });

/** Sends a campaign to numbers of its own. @returns messages a second, from the first that the carrier takes to the last */
function campaigns(client, smsc) {
  let first = 919_000_000_000;
  return async (count) => {
    const numbers = contacts(count, first);
    first += count;
    const from = smsc.times.length;
    await client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast(numbers, ROUTE));
    await until(
      () => smsc.times.length - from,
      (taken) => taken >= count,
      { everyMs: 20 },
    );
    return (count * 1_000) / (smsc.times[from + count - 1] - smsc.times[from]);
  };
}

const standing = (admin, count) =>
  until(
    () => admin.call('GET', `/v6/api/admin/routes/${ROUTE}`),
    ({ data }) => data.held_binds?.filter(({ bound }) => bound).length === count,
  ).then(({ answer }) => answer.data.held_binds);

export async function run(stage) {
  const smsc = await startCountingSmsc(2);
  stage.onEnd(() => smsc.stop());
  const api = await stage.start('api');
  const { admin, client } = await stage.signInAt(api);
  const send = campaigns(client, smsc);
  const workers = [await stage.start('worker'), await stage.start('worker')];
  const rates = { two: [], six: [] };

  // each worker has a session of its own
  await put(admin, smsc, null);
  await until(
    () => smsc.sessions.size,
    (count) => count === 2,
  );
  await send(RECIPIENTS / 4);
  for (let pair = 0; pair < PAIRS; pair++) rates.two.push(await send(RECIPIENTS));

  await put(admin, smsc, 2);
  await Promise.all([1, 2, 3, 4].map(async () => workers.push(await stage.start('worker'))));
  await standing(admin, 2);
  await send(RECIPIENTS / 4);
  for (let pair = 0; pair < PAIRS; pair++) rates.six.push(await send(RECIPIENTS));
  const ratio = median(rates.six) / median(rates.two);
  const most = smsc.most;

  // what six workers ask while nothing is sent
  const asked = await statements(stage.pool);
  const restedAt = performance.now();
  await until(
    () => performance.now() - restedAt,
    (rested) => rested > 10_000,
  );
  const atRest = ((await statements(stage.pool)) - asked) / ((performance.now() - restedAt) / 1_000);
  const handedOn = await handovers(workers);

  const [holder] = await standing(admin, 2);
  const victim = workers.find(({ pid }) => holder.worker.split(':')[1] === String(pid));
  const before = smsc.seen.size;
  const numbers = contacts(RECIPIENTS, 918_000_000_000);
  const { request_id: id } = await client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast(numbers, ROUTE));
  await until(
    () => smsc.seen.size - before,
    (taken) => taken > RECIPIENTS / 4,
    { everyMs: 5 },
  );
  await victim.kill();
  const killedAt = performance.now();
  await until(
    () => admin.call('GET', `/v6/api/admin/routes/${ROUTE}`),
    ({ data }) => data.held_binds.filter(({ bound, worker }) => bound && worker !== holder.worker).length === 2,
  );
  const takenOverMs = performance.now() - killedAt;
  const sentAll =
    'SELECT COUNT(*) AS n FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id WHERE c.request_id = ?';
  await until(
    async () => (await stage.pool.query(sentAll, [id]))[0][0].n,
    (left) => left === 0,
    { everyMs: 500 },
  );
  // what a killed worker may have written is of unknown outcome, and said to be so
  const [rows] = await stage.pool.query(
    `SELECT r.receiver, u.seq IS NOT NULL AS flagged FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id
       LEFT JOIN unknown_outcomes u ON u.campaign_id = r.campaign_id AND u.seq = r.seq WHERE c.request_id = ?`,
    [id],
  );
  const doubled = [...smsc.seen.values()].filter((times) => times.length > 1).length;
  const missing = rows.filter(({ receiver }) => !smsc.seen.has(String(receiver)));
  const lost = missing.filter(({ flagged }) => !flagged).length;
  const unknown = rows.filter(({ flagged }) => flagged).length;
  return {
    figure: `${ratio.toFixed(2)}, ${lost} lost, ${doubled} doubled`,
    ok: ratio >= GOAL && lost === 0 && doubled === 0 && most <= 2 && takenOverMs < TAKEN_OVER_MS,
    text:
      `two workers ${median(rates.two).toFixed(0)}/s, six ${median(rates.six).toFixed(0)}/s; most sessions ${most}, ` +
      `${smsc.refused} refused; at rest ${atRest.toFixed(1)} statements a second; ${handedOn} turns handed on; ` +
      `the bind of a killed worker stands again after ${(takenOverMs / 1_000).toFixed(1)} s; ${missing.length} not at the carrier, ${unknown} of unknown outcome`,
  };
}

/** Turns that reached workers without a bind. */
async function handovers(workers) {
  let sum = 0;
  for (const { url } of workers) {
    const text = await fetch(`${url}/metrics`).then((response) => response.text());
    for (const [, count] of text.matchAll(/^switchboard_route_jobs_handed_on_total\{[^}]*\} (\d+)/gm))
      sum += Number(count);
  }
  return sum;
}
