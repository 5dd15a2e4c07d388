import { Smsc } from '../../faults/carriers/smsc.mjs';
import { sends } from '../../faults/invariants/check.mjs';
import { untilSettled } from '../../faults/invariants/settled.mjs';
import { Watch } from '../../faults/invariants/watch.mjs';
import { Seed } from '../../faults/seed.mjs';
import { Balancer } from '../../faults/traffic/client.mjs';
import { Numbers } from '../../faults/traffic/requests.mjs';
import { addAccounts, each, usernameOf } from '../../stage/accounts.mjs';
import { signIn } from '../../stage/client.mjs';
import { size } from '../../stage/figures.mjs';
import { check } from '../invariants.mjs';

const ACCOUNTS = 100;
const SINGLES = size('CLUSTER_SINGLES', 1_000);
/** of one account, whose balance is a hot row */
const HOT = size('CLUSTER_HOT', 600);
const BULKS = 24;
const BULK = 100;
const AT_ONCE = 24;
const CREDITS = 10_000;
const SETTLED_MS = 600_000;
const SHOWN = 6;

export const name = 'multi-writer';
export const shown = `APIs and workers on three nodes that all write: singles of 100 accounts and of a hot one, bulk, cancels, retry-failed, receipts`;
export const goal = 'everything exact, no 5xx, nothing unknown to a node that another has answered with';
export const needs = ['galera-distant'];
export const environment = { RECEIPT_TIMEOUT: '1h' };

/** What is asked of the three APIs in turn. `answers` counts by kind and status. */
class Mixture {
  answers = new Map();
  /** what a node has answered that another had just accepted, by kind and status */
  faults = [];

  constructor(apis, token, seed) {
    Object.assign(this, { apis, token, balancer: new Balancer(apis), numbers: new Numbers(seed.of('numbers'), 1) });
  }

  async ask(kind, place, request, allowed = [200, 201]) {
    const api = this.apis[place % this.apis.length];
    const { status, said } = await this.balancer.send({ token: this.token, api, ...request });
    const key = `${kind} ${status}`;
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1);
    if (!allowed.includes(status)) this.faults.push(`${kind}: ${status} ${JSON.stringify(said)}`);
    return said;
  }

  async send(kind, place, username, numbers) {
    const body = { broadcast_name: kind, brodcast_service: 'sms', message: 'Hello', contacts: numbers, username };
    const path = '/webhook/api/addbroadcastgsm.php';
    const answer = await this.ask(kind, place, { method: 'POST', path, body, token: undefined });
    return answer?.request_id;
  }

  change(what, place, requestId) {
    const path = `/v6/api/campaigns/${requestId}/${what}`;
    return this.ask(what, place, { method: 'POST', path, body: {} }, [200, 201, 409]);
  }

  /** Accepted on one node, looked at on the next, and cancelled there if it is one in four. */
  async bulk(index) {
    const id = await this.send('bulk', index, usernameOf(1 + index), this.numbers.many(BULK));
    if (id === undefined) return;
    await this.ask('detail', index + 1, { method: 'GET', path: `/v6/api/campaigns/${id}` });
    if (index % 4 === 0) await this.change('cancel', index + 2, id);
  }
}

/** Parallel calls for each campaign that has failed recipients, one a node. */
async function retryAll(stage, mixture) {
  const failed = await stage.query(
    0,
    `SELECT DISTINCT c.request_id AS id FROM campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id
     WHERE r.status = 4 AND c.retry_of IS NULL AND c.total_rows > 1`,
  );
  await each(failed, 4, ({ id }) =>
    Promise.all(mixture.apis.map((_, place) => mixture.change('retry-failed', place, id))),
  );
  const [row] = await stage.query(0, 'SELECT COUNT(*) AS children, COUNT(DISTINCT retry_of) AS parents FROM campaigns WHERE retry_of IS NOT NULL'); // prettier-ignore
  return { parents: failed.length, children: Number(row.children), retried: Number(row.parents) };
}

async function openAccounts(stage, apis) {
  const { admin } = await stage.signInAt(apis[0], {});
  await addAccounts(stage.pool, ACCOUNTS);
  // credits come by the API, so that the ledger knows them
  await stage.pool.query("UPDATE credit_balances b JOIN accounts a ON a.id = b.account_id SET b.available = 0 WHERE a.username LIKE 'bench-%'"); // prettier-ignore
  const usernames = ['bench', ...Array.from({ length: ACCOUNTS }, (_, index) => usernameOf(index + 1))];
  const grant = { balance: 'gsm_credits', amount: CREDITS };
  await each(usernames, 4, (username) => admin.call('POST', `/v6/api/admin/accounts/${username}/credits`, grant));
  return { admin, usernames };
}

export async function run(stage) {
  const seed = new Seed(size('CLUSTER_SEED', 7));
  const smsc = await Smsc.open(seed.of('smsc'));
  stage.onEnd(() => smsc.close());
  await stage.spread(3, 3);
  const { apis } = stage;
  const { admin, usernames } = await openAccounts(stage, apis);
  const config = { host: '127.0.0.1', port: smsc.port, system_id: 'sms', password: 'sms', window: 100 };
  await admin.call('PUT', '/v6/api/admin/routes/sms', { channel: 'sms', driver: 'smpp', config, is_default: true });
  for (const node of stage.nodeUrls.keys()) await stage.query(node, 'SELECT 1');
  const { token } = await signIn(apis[1].url, 'admin');
  const mixture = new Mixture(apis, token, seed);
  const own = { known: new Set(), numberPrefix: '9' };
  const watch = new Watch(stage.pools[2], own);
  watch.start();
  const before = await stage.conflicts();
  const hotBegan = Date.now();
  let hotMs = 0;
  const items = (count) => Array.from({ length: count }, (_, index) => index);
  const single = (username) => (index) => mixture.send('single', index, username(index), [mixture.numbers.next()]);
  try {
    await Promise.all([
      each(
        items(HOT),
        AT_ONCE,
        single(() => 'bench'),
      ).then(() => (hotMs = Date.now() - hotBegan)),
      each(
        items(SINGLES),
        AT_ONCE,
        single((index) => usernameOf(1 + (index % ACCOUNTS))),
      ),
      each(items(BULKS), 4, (index) => mixture.bulk(index)),
    ]);
    stage.say(`accepted: ${[...mixture.answers].map(([key, count]) => `${key}: ${count}`).join(', ')}`);
    const scene = { pool: stage.pools[2], carriers: { smsc }, environment: stage.environment, workers: stage.workers };
    const settle = () => untilSettled(scene, own, { withinMs: SETTLED_MS, say: stage.say });
    const missing = [await settle()];
    const { parents, children, retried } = await retryAll(stage, mixture);
    missing.push(await settle());
    const after = await stage.conflicts();
    const { faults, recipients } = await check(stage, admin, usernames);
    const figures = { messages: 0, unknown: 0, unseen: 0, doubled: 0, lost: 0 };
    const found = [...faults, ...watch.violations];
    const ledger = new Map();
    for (const entry of smsc.ledger) ledger.set(entry.number, [...(ledger.get(entry.number) ?? []), entry]);
    const entriesOf = (number) => ledger.get(number) ?? [];
    found.push(...sends({ recipients, sessions: [] }, entriesOf, () => 1, figures));
    for (const text of missing.filter(Boolean)) found.push({ invariant: 'I3', text: `not settled: ${text}` });
    if (children !== parents || retried !== parents) found.push({ invariant: 'I2', text: `${children} children of ${parents}` }); // prettier-ignore
    for (const { invariant, requestId, text } of found.slice(0, SHOWN)) stage.say(`${invariant} ${requestId ?? ''} ${text}`); // prettier-ignore
    for (const text of mixture.faults.slice(0, SHOWN)) stage.say(text);
    const commits = after.commits - before.commits;
    const refused = after.refused - before.refused;
    return {
      figure: `${recipients.length} recipients, ${found.length} faults, ${mixture.faults.length} wrong answers`,
      ok: found.length === 0 && mixture.faults.length === 0,
      text: `${refused} of ${commits + refused} writes were refused by the cluster and run again; hot account ${Math.round((HOT * 1_000) / hotMs)}/s; ${figures.doubled} doubled, ${figures.lost} lost, ${figures.unknown} unknown; ${children} children of ${parents} campaigns`,
    };
  } finally {
    watch.stop();
  }
}
