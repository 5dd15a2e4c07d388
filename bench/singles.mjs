import { addRoute, startCarrier } from './carrier.mjs';
import { counted } from './counts.mjs';
import { addAccounts, each, sendAs, usernameOf } from './many-accounts.mjs';
import { benchAccount, broadcast, contacts, size, stage, until, verdict } from './stage.mjs';

const SINGLES = size('SINGLES', 10_000);
const BULK = size('BULK', 30_000);
const ACCOUNTS = 100;
const AT_ONCE = 64;

/** One-recipient messages, each a request of its own, of so many accounts. */
const acceptSingles = (url, numbers, accounts) =>
  each(numbers, AT_ONCE, (number, index) =>
    sendAs(url, accounts === 1 ? 'bench' : usernameOf(1 + (index % accounts)), [number], 'bench'),
  );

/** Starts a worker on what waits and counts until the carrier has all of it and every status is written. */
async function sendWaiting(set, carrier, total) {
  const look = async () => {
    const [[row]] = await set.database.query(
      'SELECT COALESCE(SUM(recipients), 0) AS sent FROM campaign_counters WHERE status = 1',
    );
    return Number(row.sent);
  };
  const before = await look();
  await carrier.ask({ take: true });
  let worker;
  const { trips, commits } = await counted(set.database, async () => {
    worker = await set.worker();
    return (await until(look, (sent) => sent >= before + total, { everyMs: 200 })).polls;
  });
  await worker.stop();
  const { taken, first, last } = await carrier.ask({ take: true });
  if (taken !== total) throw new Error(`the carrier got ${taken} of ${total}`);
  return { trips: trips / total, commits: commits / total, rate: (total * 1000) / Math.max(1, last - first) };
}

/**
 * What a message costs the database on its way to the carrier: of 10,000 one-recipient messages that wait, and of a campaign.
 * The API rests meanwhile, and what a worker does at its start and once a second is counted with it.
 */
export async function benchSingles(environment, say) {
  const set = await stage(environment);
  const carrier = await startCarrier(set.environment);
  try {
    let api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addAccounts(set.database, ACCOUNTS);
    await addRoute(admin, carrier);
    const lines = [];
    const show = (name, goals, { trips, commits, rate }) => {
      lines.push(
        verdict(`${name}: round trips a message`, trips, goals[0], `${rate.toFixed(0)} messages a second`),
        verdict(`${name}: durable commits a message`, commits, goals[1], ''),
      );
      say(`${name}: ${trips.toFixed(2)} round trips, ${commits.toFixed(3)} commits, ${rate.toFixed(0)}/s`);
      return rate;
    };
    await client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast(contacts(BULK), 'bench'));
    await api.stop();
    const bulk = show(`a campaign of ${BULK}`, ['at most 0.06', 'no goal'], await sendWaiting(set, carrier, BULK));
    for (const accounts of [1, ACCOUNTS]) {
      api = await set.api();
      await acceptSingles(api.url, contacts(SINGLES), accounts);
      await api.stop();
      const name = `${SINGLES} single messages of ${accounts} account${accounts > 1 ? 's' : ''}`;
      const rate = show(name, ['at most 1', 'at most 0.1'], await sendWaiting(set, carrier, SINGLES));
      lines.push(verdict(`${name}: messages a second / those of a campaign`, rate / bulk, 'none yet', ''));
    }
    return lines;
  } finally {
    await set.close();
    await carrier.stop();
  }
}
