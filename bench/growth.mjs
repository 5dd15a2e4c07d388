import mysql from 'mysql2/promise';
import { addAccounts } from '../test/stage/accounts.mjs';
import { addRoute } from '../test/stage/carrier.mjs';
import { broadcast, contacts } from '../test/stage/client.mjs';
import { median, size, timed } from '../test/stage/figures.mjs';
import { addNumbers, bytesOfRow, cutDays, fill, messageIdOf, numberOf, RECIPIENTS } from './fill.mjs';
import { verdict } from './results.mjs';
import { dispatchOnce, openStage, sendSms, SMS_PATH } from './stage.mjs';

const MILLIONS = size('GROWTH_MILLIONS', 5);
const DAYS = size('GROWTH_DAYS', 10);
/** 1 GB for 50 million, and as much less for fewer */
const POOL_MB = size('GROWTH_POOL_MB', Math.max(128, Math.ceil((1_024 * MILLIONS) / 50)));
const RECEIPTS = 1_000;
/** whose receipts come together, on both databases: what a batch costs follows their number, which is not what grows here */
const RECEIPTS_OF = 50;
const TABLES = {
  campaign_recipients: 'at most 110',
  provider_messages: 'none',
  campaigns: 'none',
  campaign_counters: 'none',
  credit_ledger: 'none',
};
/**
 * What was filled in last is in the buffer pool, and not what receipts ask for: they come for a while before anything is
 * measured, as they do all day.
 */
const BATCHES_A_MILLION = 5;
const FIRST = 5;
const EVENLY = 'receipts as likely after two days as at once';
/** rounds, of which the first few are not counted; in each, every measurement is made so often on both databases */
const WARM = 2;
const ROUNDS = 12;
const A_ROUND = {
  accept: 3,
  flush: 1,
  receipts: 2,
  [EVENLY]: 1,
  report: 4,
  list: 4,
  contacts: 4,
};

/**
 * How long after its message a receipt comes, as a share of two days, of a number at random. Half of them within six hours and
 * one in five after a day is late for carriers, whose receipts come within minutes.
 */
const SOON = (random) => random ** 3;
const AT_ANY_TIME = (random) => random;
/** Recipients of a campaign in this step are all of them, in no order. */
const STRIDE = 387;

const any = (items) => items[Math.floor(Math.random() * items.length)];
/** Recipients whose receipts have not come yet, of campaigns in the order of their ids. @returns what draws a batch of them */
function drawn(campaigns) {
  let open = campaigns.map((id) => ({ id, told: 0 }));
  const next = (campaign) => [campaign.id, 1 + ((campaign.told++ * STRIDE) % RECIPIENTS)];
  return (ageOf) => {
    open = open.filter(({ told }) => told < RECIPIENTS);
    if (open.length < RECEIPTS_OF) throw new Error('too few campaigns wait for receipts: fewer GROWTH_DAYS leave more');
    const left = [...open];
    const some = Array.from(
      { length: RECEIPTS_OF },
      () => left.splice(left.length - 1 - Math.floor(left.length * ageOf(Math.random())), 1)[0],
    );
    return some.flatMap((campaign) => Array.from({ length: RECEIPTS / RECEIPTS_OF }, () => next(campaign)));
  };
}

/** Milliseconds (p50) of what must not get slower as the tables grow. */
function measurements(set, client, carrier, filled) {
  const { call } = client;
  const later = JSON.stringify({
    ...JSON.parse(broadcast(contacts(1_000), 'bench')),
    schedule_time: '2099-01-01T00:00:00Z',
  });
  const draw = drawn(filled.open);
  const receipts = (ageOf) => () => {
    const wanted = draw(ageOf).map(([id, seq]) => [numberOf(seq), messageIdOf(id, seq)]);
    return timed(() => carrier.ask({ deliver: wanted }));
  };
  return {
    accept: () => timed(() => call('POST', SMS_PATH, later)),
    flush: async () => 1_000 * (await dispatchOnce(set.pool, 10_000, () => sendSms(client, 10_000))),
    receipts: receipts(SOON),
    [EVENLY]: receipts(AT_ANY_TIME),
    report: () => timed(() => call('GET', `/webhook/api/getGSMreport.php?request_id=GSMCAMP_${any(filled.own)}`)),
    list: () => timed(() => call('GET', '/v6/api/campaigns?limit=50')),
    contacts: () =>
      timed(() => call('GET', `/v6/api/campaigns/GSMCAMP_${any(filled.own)}/contacts?limit=100&page=${1 + Math.floor(Math.random() * 10)}`)), // prettier-ignore
  };
}

/** Everything on both databases in turn, so that what else the machine does meets both alike. @returns p50 by name */
async function compare(small, large, say) {
  const found = Object.fromEntries(Object.keys(A_ROUND).map((name) => [name, { small: [], large: [] }]));
  for (let round = -WARM; round < ROUNDS; round++) {
    for (const [name, count] of Object.entries(A_ROUND)) {
      for (let index = 0; index < count; index++) {
        const [a, b] = [await small.work[name](), await large.work[name]()];
        if (round < 0) continue;
        found[name].small.push(a);
        found[name].large.push(b);
      }
    }
  }
  for (const { database } of [small, large]) {
    const [[{ unmatched }]] = await database.query('SELECT COUNT(*) AS unmatched FROM parked_receipts');
    if (unmatched > 0) throw new Error(`${unmatched} receipts found no message`);
  }
  return Object.entries(found).map(([name, times]) => {
    const [small50, large50] = [median(times.small), median(times.large)];
    say(`${name} ${large50.toFixed(1)} ms, at 1 million ${small50.toFixed(1)} ms`);
    return verdict(
      `${name} at ${MILLIONS} million recipients / at 1 million`,
      large50 / small50,
      'at most 1.3',
      `${large50.toFixed(1)} ms, at 1 million ${small50.toFixed(1)} ms`,
    );
  });
}

/** A service of its own with so many million recipients. */
async function grown(environment, millions, say) {
  const set = await openStage(environment);
  try {
    const carrier = await set.carrier('none');
    const { admin, client } = await set.signInAt(await set.start('api'));
    await addAccounts(set.pool, 1);
    await addRoute(admin, carrier);
    await cutDays(set.pool, DAYS);
    await addNumbers(set.pool);
    const filler = await set.pool.getConnection();
    const filled = await fill(filler, millions * 1_000_000, DAYS, say);
    filler.release();
    await set.start('worker');
    const work = measurements(set, client, carrier, filled);
    const times = [];
    for (let batch = 0; batch < BATCHES_A_MILLION * millions; batch++) times.push(await work.receipts());
    say(
      `receipts after filling ${median(times.slice(0, FIRST)).toFixed(1)} ms, then ${median(times.slice(-FIRST)).toFixed(1)} ms`,
    );
    return { database: set.pool, work, close: () => set.close() };
  } catch (error) {
    await set.close();
    throw error;
  }
}

/**
 * p50 of what the service does with 1 million recipients and with many, in turn, over a buffer pool that holds a small part of
 * them. The tables are filled by SQL, cut into days, with carriers' ids at random. `GROWTH_MILLIONS=50` is the whole of it.
 */
export async function benchGrowth(environment, say) {
  const server = await mysql.createConnection(environment.DATABASE_URL);
  const [[{ pool }]] = await server.query('SELECT @@GLOBAL.innodb_buffer_pool_size AS pool');
  const services = [];
  try {
    await server.query('SET GLOBAL innodb_buffer_pool_size = ?', [POOL_MB * 1_048_576]);
    for (const millions of [Math.min(1, MILLIONS), MILLIONS]) services.push(await grown(environment, millions, say));
    const [small, large] = services;
    say(`${MILLIONS} million recipients of ${DAYS} days, ${POOL_MB} MB of buffer pool`);
    const lines = await compare(small, large, say);
    for (const [table, goal] of Object.entries(TABLES)) {
      lines.push(verdict(`bytes of a row of ${table}`, await bytesOfRow(large.database, table), goal));
    }
    return lines;
  } finally {
    for (const { close } of services) await close();
    await server.query('SET GLOBAL innodb_buffer_pool_size = ?', [Number(pool)]);
    await server.end();
  }
}
