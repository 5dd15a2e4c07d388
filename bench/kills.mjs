import { setTimeout as sleep } from 'node:timers/promises';
import { addRoute } from '../test/stage/carrier.mjs';
import { until } from '../test/stage/client.mjs';
import { size } from '../test/stage/figures.mjs';
import { verdict } from './results.mjs';
import { onStage, sendSms } from './stage.mjs';

const KILLS = size('KILLS', 8);
const CONTACTS = size('KILLS_CONTACTS', 30_000);
/** at a carrier that is gone in the middle, paced so that it lasts until then */
const HANDED_OVER = size('FAILOVER_CONTACTS', 30_000);
/** more than leave without a pace until a worker is killed */
const CONTACTS_A_KILL = 15_000;
/** A paced route sends one window at a time, another one of several lanes; both so large that all kills come while they last. */
const ROUTES = {
  paced: { count: CONTACTS, settings: { messages_per_second: Math.ceil(CONTACTS / 10) } },
  unpaced: { count: KILLS * CONTACTS_A_KILL, settings: {} },
};
/** a worker is killed at a random moment within so long of its first message */
const WITHIN_MS = 600;
/** how long a lane waits for its lost worker */
const LEASE = '2s';
/** longer than workers take to look at the notes of those that were killed, who may give somebody a new try */
const QUIET_LOOKS = 6;
const LOOK_MS = 1_000;
/** numbers of recipient statuses, as stored */
const PENDING = 0;
const UNKNOWN = 9;

const IN_FLIGHT = `SELECT CAST(l.claim_id AS CHAR) AS claim FROM campaign_lanes l
  WHERE l.intent_seq > l.next_seq OR EXISTS (SELECT 1 FROM recipient_retries t
    WHERE t.campaign_id = l.campaign_id AND t.lane = l.lane AND t.intent_fence IS NOT NULL)`;
const WRITING = `SELECT COUNT(*) AS writing FROM information_schema.processlist
  WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info IS NOT NULL`;
const IN_DOUBT = `SELECT u.receiver, CAST(u.lost_claim AS CHAR) AS claim FROM unknown_outcomes u
  JOIN campaign_recipients r ON r.campaign_id = u.campaign_id AND r.seq = u.seq AND r.status = ${UNKNOWN}`;

/** The worst kill and, beside it, what one lane had in doubt at the most, and all kills together. */
function doubtLine(title, kills, doubtful, seen) {
  const byClaim = new Map();
  const unseen = doubtful.filter(({ receiver }) => !seen.has(receiver));
  for (const { claim } of unseen) byClaim.set(claim, (byClaim.get(claim) ?? 0) + 1);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const ofKill = kills.map((claims) => sum([...new Set(claims)].map((claim) => byClaim.get(claim) ?? 0)));
  const lanes = kills.map((claims) => claims.length);
  const perLane = ofKill.map((doubt, kill) => doubt / Math.max(lanes[kill], 1));
  const others = unseen.length - sum(ofKill);
  return verdict(
    `${title}: in doubt and never at the carrier, the worst kill by lane in flight`,
    Math.max(...perLane),
    'at most 10',
    `mean of a lane ${(sum(ofKill) / Math.max(sum(lanes), 1)).toFixed(2)}, one lane at most ${Math.max(0, ...byClaim.values())}; ` +
      `${unseen.length} of ${doubtful.length} in doubt, by kill (lanes) ${ofKill.map((doubt, kill) => `${doubt} (${lanes[kill]})`).join(', ')}` +
      (others > 0 ? `, and ${others} of no kill's lanes` : ''),
  );
}

async function killed(set, say, name, { count, settings }) {
  const carrier = await set.carrier('9');
  const rowsOf = async (sql, values) => (await set.pool.query(sql, values))[0];
  const api = await set.start('api');
  const { admin, client } = await set.signInAt(api);
  await addRoute(admin, carrier, 'bench', settings);
  await sendSms(client, count);
  /** the claims of lanes that were in flight, by kill */
  const kills = [];
  let sent = 0;
  while (kills.length < KILLS) {
    const worker = await set.start('worker');
    const { answer } = await until(() => carrier.ask({ take: true }), ({ taken }) => taken > 0, { everyMs: 10 }); // prettier-ignore
    await sleep(Math.random() * WITHIN_MS);
    await worker.stop('SIGKILL');
    // what the worker had asked for may still be done
    await until(() => rowsOf(WRITING), ([{ writing }]) => Number(writing) === 0, { everyMs: 10 }); // prettier-ignore
    const former = new Set(kills.flat());
    kills.push((await rowsOf(IN_FLIGHT)).map(({ claim }) => claim).filter((claim) => !former.has(claim)));
    sent += answer.taken + (await carrier.ask({ take: true })).taken;
    say(`kill ${kills.length}: ${kills.at(-1).length} lanes in flight, ${sent} of ${count} were at the carrier`);
  }
  await set.start('worker');
  let quiet = 0;
  const look = async () => {
    const [{ pending }] = await rowsOf('SELECT COUNT(*) AS pending FROM campaign_recipients WHERE status = ?', [PENDING]); // prettier-ignore
    quiet = Number(pending) === 0 ? quiet + 1 : 0;
    return pending;
  };
  await until(look, () => quiet === QUIET_LOOKS, { everyMs: LOOK_MS });
  const seen = await carrier.seen();
  const rows = await rowsOf('SELECT receiver, status FROM campaign_recipients');
  const lost = rows.filter(({ receiver, status }) => status !== UNKNOWN && !seen.has(receiver)).length;
  const doubled = [...seen.values()].filter((times) => times.length > 1).length;
  const title = `${KILLS} kills -9 during ${count}, ${name}`;
  return [
    doubtLine(title, kills, await rowsOf(IN_DOUBT), seen),
    verdict(`${title}: twice at the carrier`, doubled, '0'),
    verdict(`${title}: neither there nor in doubt`, lost, '0'),
  ];
}

/**
 * Workers that are killed while they send: recipients in doubt that the carrier never saw, of whom nobody can tell any more and
 * who are not sent again; and nobody twice, nobody left out. Doubt is counted by the kill that made it, and divided by the
 * lanes whose window was under way at that kill: the worst kill counts.
 */
export async function benchKills(environment, say) {
  const lines = [];
  for (const [name, route] of Object.entries(ROUTES)) {
    const bench = onStage((set) => killed(set, (line) => say(`${name}: ${line}`), name, route), { LANE_LEASE: LEASE });
    lines.push(...(await bench(environment, say)));
  }
  return lines;
}

/**
 * A carrier that is gone in the middle of a campaign whose chain has another: how soon the other one has the first message,
 * how soon all are out, and that none is lost, and none at both.
 */
export const benchFailover = onStage(async (set, say) => {
  const [first, second] = [await set.carrier('9'), await set.carrier('9')];
  const api = await set.start('api');
  const { admin, client } = await set.signInAt(api);
  await addRoute(admin, first, 'first', { messages_per_second: Math.ceil(HANDED_OVER / 10) });
  await addRoute(admin, second, 'second');
  const rules = [{ prefixes: ['9'], routes: ['first', 'second'] }];
  await admin.call('PUT', '/v6/api/admin/routing/chain', { channel: 'sms', rules });
  await sendSms(client, HANDED_OVER, 'any');
  await set.start('worker');
  let taken = 0;
  const third = async () => (taken += (await first.ask({ take: true })).taken);
  await until(third, (sum) => sum >= HANDED_OVER / 3, { everyMs: 10 });
  await first.ask({ gone: true });
  const goneAt = Date.now();
  const { answer } = await until(() => second.ask({ take: true }), (look) => look.taken > 0, { everyMs: 10 }); // prettier-ignore
  const handedAfter = answer.first - goneAt;
  say(`the other carrier goes on after ${Math.round(handedAfter)} ms`);
  const open = async () => {
    const [[row]] = await set.pool.query(
      `SELECT COALESCE(SUM(recipients), 0) AS open FROM campaign_counters WHERE status = ${PENDING}`,
    );
    return Number(row.open);
  };
  await until(open, (left) => left === 0, { everyMs: 50 });
  const outAfter = Date.now() - goneAt;
  const seen = [await first.seen(), await second.seen()];
  const [rows] = await set.pool.query('SELECT receiver, status FROM campaign_recipients');
  const times = ({ receiver }) => seen.reduce((sum, some) => sum + (some.get(receiver)?.length ?? 0), 0);
  const doubtful = rows.filter(({ status }) => status === UNKNOWN);
  const lost = rows.filter((row) => row.status !== UNKNOWN && times(row) === 0).length;
  const name = `carrier gone during ${HANDED_OVER}`;
  const text = `${doubtful.length} in doubt, as many may have left`;
  return [
    verdict(`${name}: seconds until the next one has the first message`, handedAfter / 1_000, 'at most 5'),
    verdict(`${name}: seconds until all are out`, outAfter / 1_000, 'at most 60', text),
    verdict(`${name}: twice at the carriers`, rows.filter((row) => times(row) > 1).length, '0'),
    verdict(`${name}: neither there nor in doubt`, lost, '0'),
  ];
});
