import { setTimeout as sleep } from 'node:timers/promises';
import { addRoute, startCarrier } from './carrier.mjs';
import { benchAccount, broadcast, contacts, size, stage, until, verdict } from './stage.mjs';

const KILLS = size('KILLS', 8);
const CONTACTS = size('KILLS_CONTACTS', 30_000);
/** so slow that all kills come while it lasts */
const PACE = Math.ceil(CONTACTS / 10);
const LANES = 8;
/** a worker is killed at a random moment within so long of its first message */
const WITHIN_MS = 600;
/** how long a lane waits for its lost worker */
const LEASE = '2s';
/** numbers of recipient statuses, as stored */
const PENDING = 0;
const UNKNOWN = 9;

/**
 * Workers that are killed while they send: recipients in doubt that the carrier never saw, of whom nobody can tell any more and
 * who are not sent again; and nobody twice, nobody left out.
 */
export async function benchKills(environment, say) {
  const set = await stage(environment, { LANE_LEASE: LEASE });
  const carrier = await startCarrier(set.environment, '9');
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addRoute(admin, carrier, 'bench', { messages_per_second: PACE });
    await client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast(contacts(CONTACTS), 'bench'));
    let sent = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const worker = await set.worker();
      const { answer } = await until(() => carrier.ask({ take: true }), ({ taken }) => taken > 0, { everyMs: 10 }); // prettier-ignore
      await sleep(Math.random() * WITHIN_MS);
      await worker.stop('SIGKILL');
      sent += answer.taken + (await carrier.ask({ take: true })).taken;
      say(`kill ${kill}: ${sent} of ${CONTACTS} were at the carrier`);
    }
    await set.worker();
    const statuses = async () => {
      const [rows] = await set.database.query('SELECT seq, receiver, status FROM campaign_recipients');
      return rows;
    };
    const isOver = (rows) => rows.every(({ status }) => status !== PENDING);
    const { answer: rows } = await until(statuses, isOver, { everyMs: 1_000 });
    const seen = await carrier.seen();
    const doubtful = rows.filter(({ status }) => status === UNKNOWN);
    const unseen = doubtful.filter(({ receiver }) => !seen.has(receiver)).length;
    const lost = rows.filter(({ receiver, status }) => status !== UNKNOWN && !seen.has(receiver)).length;
    const doubled = [...seen.values()].filter((times) => times.length > 1).length;
    const name = `${KILLS} kills -9 during ${CONTACTS}`;
    return [
      verdict(
        `${name}: in doubt and never at the carrier, a kill and lane`,
        unseen / KILLS / LANES,
        'at most 10',
        `${unseen} of ${doubtful.length} in doubt, ${((100 * unseen) / CONTACTS).toFixed(2)} % of all`,
      ),
      verdict(`${name}: twice at the carrier`, doubled, '0', ''),
      verdict(`${name}: neither there nor in doubt`, lost, '0', ''),
    ];
  } finally {
    await set.close();
    await carrier.stop();
  }
}
