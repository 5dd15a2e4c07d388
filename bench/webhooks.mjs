import { setTimeout as sleep } from 'node:timers/promises';
import { addRoute } from '../test/stage/carrier.mjs';
import { openAccount, until } from '../test/stage/client.mjs';
import { quantile, size } from '../test/stage/figures.mjs';
import { makeDue, writeEvents } from '../test/stage/webhook-events.mjs';
import { compare, verdict } from './results.mjs';
import { dispatchOnce, onStage, sendSms } from './stage.mjs';

const ROUNDS = size('WEBHOOK_ROUNDS', 3);
const EVENTS = size('WEBHOOK_EVENTS', 20_000);
/** WEBHOOK_CONCURRENCY as it is by default */
const AT_ONCE = 8;
const RECIPIENTS = size('WEBHOOK_RECIPIENTS', 30_000);
const WARM_UP = 2_000;
const HANGING_WEBHOOKS = 10;
/** events of the customer whose delays are measured */
const STEADY = { batches: size('WEBHOOK_BATCHES', 150), size: 5, everyMs: 100 };
const CREDITS = { gsm_credits: 10_000_000 };

const nothingDue = (pool, { endpoint }) => {
  const look = () => pool.query('SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ? LIMIT 1', [endpoint]);
  return until(look, ([rows]) => rows.length === 0, { everyMs: 20 });
};

/** Events delivered and logged a second to one endpoint. */
async function delivered(pool, hook, total) {
  await writeEvents(pool, hook, total, true);
  await pool.query('UPDATE webhook_deliveries SET due_at = UTC_TIMESTAMP(3) WHERE endpoint_id = ?', [hook.endpoint]);
  await makeDue(pool, hook.endpoint);
  const began = performance.now();
  await nothingDue(pool, hook);
  return (total * 1_000) / (performance.now() - began);
}

/** A customer's delays beside ten endpoints of another that never answer, over its delays alone. */
async function isolation(pool, hook, hanging, delays, say) {
  const steady = async () => {
    for (let batch = 0; batch < STEADY.batches; batch++) {
      await Promise.all([writeEvents(pool, hook, STEADY.size), sleep(STEADY.everyMs)]);
    }
    await nothingDue(pool, hook);
    const all = await delays();
    return { p50: quantile(all, 0.5), p99: quantile(all, 0.99) };
  };
  const alone = await steady();
  for (const endpoint of hanging) await writeEvents(pool, endpoint, 1_000);
  await sleep(1_000);
  const beside = await steady();
  say(`alone p50 ${alone.p50} ms, p99 ${alone.p99} ms; beside hanging ones p50 ${beside.p50} ms, p99 ${beside.p99} ms`);
  return ['p50', 'p99'].map((name) =>
    verdict(
      `${name} of the delay beside ${HANGING_WEBHOOKS} hanging endpoints / alone`,
      beside[name] / alone[name],
      'at most 1.5',
      `${beside[name]} ms, alone ${alone[name]} ms`,
    ),
  );
}

/**
 * Customers' webhooks: what the events cost the dispatch of their messages (nothing is delivered meanwhile: the endpoint never
 * answers), what a delivery costs beside a bare undici pool that signs, posts and writes nothing, and what a silent neighbour
 * costs.
 */
export const benchWebhooks = onStage(async (set, say) => {
  const { pool } = set;
  const receiver = await set.script('test/stage/receiver.mjs');
  const { port } = await receiver.next();
  const delays = async () => {
    const answer = receiver.next();
    receiver.child.kill('SIGUSR2');
    return (await answer).delays;
  };
  const api = await set.start('api');
  const { admin, client } = await set.signInAt(api);
  await addRoute(admin, await set.carrier());
  await set.start('worker');
  const [neighbour, listener] = await Promise.all(
    ['neighbour', 'listener'].map((name) => openAccount(api.url, admin, name, CREDITS)),
  );
  const hookOf = async (username, { call }, path) => {
    const url = `http://127.0.0.1:${port}${path}`;
    const { data } = await call('POST', '/v6/api/webhooks', { url, events: ['gsm.status.update'] });
    const [[account]] = await pool.query('SELECT id FROM accounts WHERE username = ?', [username]);
    return { account: account.id, endpoint: data.id };
  };
  await hookOf('listener', listener, '/hang');
  const dispatched = async (sender) =>
    RECIPIENTS / (await dispatchOnce(pool, RECIPIENTS, () => sendSms(sender, RECIPIENTS)));
  const dispatch = { 'one listens': () => dispatched(listener), 'none does': () => dispatched(client) };
  const events = { name: 'dispatch', goal: 'at least 0.4', unit: '/s', rounds: 2 * ROUNDS, warmUps: 1, say };
  const lines = [await compare(dispatch, events)];
  await pool.query('DELETE FROM webhook_deliveries');
  const hook = await hookOf('bench', client, '/hook');
  await delivered(pool, hook, WARM_UP);
  const ways = {
    ours: () => delivered(pool, hook, EVENTS),
    'bare undici': async () => EVENTS / (await set.bare('webhooks', port, EVENTS, AT_ONCE)).seconds,
  };
  lines.push(await compare(ways, { name: 'webhooks', goal: 'at least 0.3', unit: '/s', rounds: ROUNDS, say }));
  await delays();
  const hanging = [];
  for (let index = 0; index < HANGING_WEBHOOKS; index++) hanging.push(await hookOf('neighbour', neighbour, '/hang'));
  return [...lines, ...(await isolation(pool, hook, hanging, delays, say))];
});
