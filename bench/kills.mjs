import { setTimeout as sleep } from 'node:timers/promises';
import { addRoute, startCarrier } from './carrier.mjs';
import { benchAccount, broadcast, contacts, size, stage, until, verdict } from './stage.mjs';

const KILLS = size('KILLS', 8);
const CONTACTS = size('KILLS_CONTACTS', 30_000);
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

/**
 * Workers that are killed while they send: recipients in doubt that the carrier never saw, of whom nobody can tell any more and
 * who are not sent again; and nobody twice, nobody left out. Doubt is counted by the kill that made it, and divided by the
 * lanes whose window was under way at that kill: the worst kill counts.
 */
export async function benchKills(environment, say) {
  const lines = [];
  for (const [name, route] of Object.entries(ROUTES)) {
    lines.push(...(await killed(environment, (line) => say(`${name}: ${line}`), name, route)));
  }
  return lines;
}

async function killed(environment, say, name, { count, settings }) {
  const set = await stage(environment, { LANE_LEASE: LEASE });
  const carrier = await startCarrier(set.environment, '9');
  const rowsOf = async (sql, values) => (await set.database.query(sql, values))[0];
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addRoute(admin, carrier, 'bench', settings);
    await client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast(contacts(count), 'bench'));
    /** the claims of lanes that were in flight, by kill */
    const kills = [];
    let sent = 0;
    while (kills.length < KILLS) {
      const worker = await set.worker();
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
    await set.worker();
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
      verdict(`${title}: twice at the carrier`, doubled, '0', ''),
      verdict(`${title}: neither there nor in doubt`, lost, '0', ''),
    ];
  } finally {
    await set.close();
    await carrier.stop();
  }
}

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
