import { addAccounts, each, sendAs, usernameOf } from '../test/stage/accounts.mjs';
import { addRoute } from '../test/stage/carrier.mjs';
import { contacts, until } from '../test/stage/client.mjs';
import { counted, size } from '../test/stage/figures.mjs';
import { verdict } from './results.mjs';
import { onStage, sendSms } from './stage.mjs';

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
    const [[row]] = await set.pool.query(
      'SELECT COALESCE(SUM(recipients), 0) AS sent FROM campaign_counters WHERE status = 1',
    );
    return Number(row.sent);
  };
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
