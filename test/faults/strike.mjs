import { setTimeout as sleep } from 'node:timers/promises';
import { entriesAt } from './carriers/carrier.mjs';
import { acceptance, books, counts, ends, money, proofs, refusals, sends } from './invariants/check.mjs';
import { snapshot } from './invariants/snapshot.mjs';
import { untilSettled } from './invariants/settled.mjs';
import { Watch } from './invariants/watch.mjs';
import { webhooks } from './invariants/webhooks.mjs';
import { ACCOUNTS } from './scene.mjs';
import { Balancer } from './traffic/client.mjs';
import { Traffic } from './traffic/traffic.mjs';

const WITHIN_MS = 120_000;
const HOLD_MS = [1_000, 2_500];
/** Traffic goes on for so long after healing, so that a fault that stays is seen. */
const AFTERWARDS_MS = 1_200;
const LONG_RECIPIENTS_A_SECOND = 50;
const DETAILS = 20;

/** What the API tells of some of the campaigns. */
async function detailsOf(scene, traffic, campaigns, violations) {
  const details = new Map();
  for (const { requestId, account } of traffic.seed.of('details').shuffle(campaigns).slice(0, DETAILS)) {
    const { token } = traffic.memberOf(account);
    const { status, said } = await traffic.balancer.send({
      method: 'GET',
      path: `/v6/api/campaigns/${requestId}`,
      token,
    });
    if (status === 200) details.set(requestId, said.data);
    else
      violations.push({ invariant: 'I8', requestId, text: `detail after healing: ${status} ${JSON.stringify(said)}` });
  }
  return details;
}

/** I8: what each account reads after healing; an export has all recipients. */
async function* readings({ balancer, members, asked }, campaigns) {
  const [number] = asked.find(({ numbers }) => numbers.length > 0)?.numbers ?? ['none'];
  for (const { username, token } of members) {
    const own = campaigns.find(({ account, channel }) => account === username && channel === 'sms');
    const paths = [
      '/v6/api/campaigns?limit=50',
      '/v6/api/account/credits',
      `/v6/api/recipients?number=${number}`,
      ...(own ? [`/webhook/api/getGSMreport.php?request_id=${own.requestId}`] : []),
      ...(own ? [`/v6/api/campaigns/${own.requestId}/contacts?limit=100`] : []),
      ...(own ? [`/v6/api/campaigns/${own.requestId}/export.csv`] : []),
    ];
    for (const path of paths) {
      const { status, said } = await balancer.send({ method: 'GET', path, token });
      if (status !== 200)
        yield { invariant: 'I8', text: `${path} of ${username} after healing: ${status} ${JSON.stringify(said)}` };
      const records = path.endsWith('.csv') ? String(said).trimEnd().split('\n').length - 1 : own?.total;
      if (status === 200 && records !== own?.total)
        yield { invariant: 'I8', text: `${path} of ${username} has ${records} of ${own.total} recipients` };
    }
  }
}

/** I8: from healing on each request has an answer, and none is a 5xx. With `strict`, all of the traffic is held to that. */
function* answersAfter({ asked, changes }, healedAt, strict) {
  for (const { at, status, said, path, what, name, requestId, api } of [...asked, ...changes]) {
    if (status !== null && status < 500) continue;
    if (!strict && at < healedAt) continue;
    const when = at - healedAt;
    yield {
      invariant: 'I8',
      requestId,
      text: `${what ?? path} ${name ?? ''} by ${api}: ${status} ${JSON.stringify(said)} (${when} ms after healing)`,
    };
  }
}

/** @returns every violation of an invariant */
async function check(scene, traffic, { known, again, healedAt, strict, overtaken, watch, figures }) {
  const violations = [...watch.violations, ...answersAfter(traffic, healedAt, strict)];
  const found = await snapshot(scene.pool, known, traffic.numbers.prefix);
  const details = await detailsOf(scene, traffic, found.campaigns, violations);
  const entriesOf = entriesAt(scene.carriers);
  const byName = new Map(traffic.asked.map((entry) => [entry.name, entry]));
  const allowedCalls = ({ name }) => 1 + (byName.get(name)?.body?.retries ?? 0);
  for await (const violation of readings(traffic, found.campaigns)) violations.push(violation);
  for await (const violation of proofs(scene.admin, ACCOUNTS)) violations.push(violation);
  violations.push(
    ...refusals(traffic, overtaken),
    ...money(found),
    ...books(found, scene.granted),
    ...acceptance({ ...traffic, again }, found, entriesOf),
    ...ends(found),
    ...sends(found, entriesOf, allowedCalls, figures),
    ...counts(found, details),
    ...webhooks(found, scene.customers),
  );
  return violations.map((violation) => ({ ...violation, ...evidence(violation, traffic, found, entriesOf) }));
}

/** What client, database and carriers know of a violation's recipient. */
function evidence({ number }, { asked }, { recipients }, entriesOf) {
  if (number === undefined) return {};
  return {
    asked: asked
      .filter(({ numbers }) => numbers.includes(number))
      .map((entry) => ({ ...entry, numbers: entry.numbers.length })),
    stored: recipients.filter((recipient) => recipient.number === number),
    carriers: entriesOf(number),
  };
}

/**
 * Traffic, a strike in its middle, healing, and the verdict.
 * @param {{ number: number, seconds: number, say: (text: string) => void, beforeVerdict?: (scene: object, traffic: object,
 *   known: Set<number>) => Promise<void> }} options number: of the strike in this run
 */
export async function runStrike(scene, strike, seed, { number, seconds, say, beforeVerdict }) {
  const figures = { messages: 0, unknown: 0, unseen: 0, doubled: 0, lost: 0, requests: 0, unanswered: 0 };
  const [rows] = await scene.pool.query('SELECT id FROM campaigns');
  const known = new Set(rows.map(({ id }) => id));
  for (const customer of Object.values(scene.customers)) customer.seen = [];
  const balancer = new Balancer(scene.apis);
  await balancer.start();
  const longRecipients = Math.round(LONG_RECIPIENTS_A_SECOND * seconds);
  const traffic = new Traffic(scene, balancer, seed.of('traffic'), {
    strike: number,
    seconds,
    longRecipients,
    share: strike.share,
  });
  await traffic.meet();
  const own = { known, numberPrefix: traffic.numbers.prefix };
  const watch = new Watch(scene.pool, own);
  watch.start();
  try {
    const began = Date.now();
    const running = traffic.run();
    await sleep(seed.of('moment').between(150 * seconds, 350 * seconds));
    say(`strikes after ${Date.now() - began} ms`);
    const heal = await strike.strike(scene, seed.of('strike'), { traffic, say });
    await sleep(seed.of('hold').between(...(strike.holdMs ?? HOLD_MS)));
    await heal?.();
    const healedAt = Date.now();
    say(`healed after ${healedAt - began} ms`);
    await sleep(Math.max(AFTERWARDS_MS, began + seconds * 1_000 - healedAt));
    await Promise.all([traffic.end(), running]);
    await traffic.resumeAll();
    const again = await traffic.askAgain();
    await traffic.resumeAll();
    const missing = await untilSettled(scene, own, { withinMs: strike.withinMs ?? WITHIN_MS, say });
    const recoveredMs = Date.now() - healedAt;
    await watch.look();
    await beforeVerdict?.(scene, traffic, known);
    await watch.look();
    const { strict = false, overtaken } = strike;
    const violations = await check(scene, traffic, { known, again, healedAt, strict, overtaken, watch, figures });
    if (missing !== '') violations.unshift({ invariant: 'I3', text: `not settled in time: ${missing}` });
    figures.requests = traffic.asked.length + traffic.changes.length;
    figures.unanswered = traffic.asked.filter(({ outcome }) => outcome === 'unknown').length;
    return { violations, figures, recoveredMs, looks: watch.looks, longTransactions: watch.long };
  } catch (error) {
    // a moment that did not come, a process that did not end or start as it should: found as well, and others still have their turn
    return { violations: [{ invariant: 'strike', text: error.stack ?? String(error) }], figures, recoveredMs: 0 };
  } finally {
    watch.stop();
    balancer.stop();
    await traffic.end().catch(() => undefined);
  }
}
