import mysql from 'mysql2/promise';
import { addRoute, startCarrier } from './carrier.mjs';
import { benchBroadcast, dispatchOnce } from './dispatch.mjs';
import { addNumbers, bytesOfRow, cutDays, fill, messageIdOf, numberOf, RECIPIENTS } from './fill.mjs';
import { addAccounts } from './many-accounts.mjs';
import { benchAccount, broadcast, contacts, median, size, stage, verdict } from './stage.mjs';

const MILLIONS = size('GROWTH_MILLIONS', 5);
const DAYS = size('GROWTH_DAYS', 10);
/** 1 GB for 50 million, and as much less for fewer */
const POOL_MB = size('GROWTH_POOL_MB', Math.max(64, Math.ceil((1_024 * MILLIONS) / 50)));
const RECEIPTS = 1_000;
const WARM = 3;
const REPEATS = { accept: 30, flush: 7, receipts: 9, report: 40, list: 40, contacts: 40 };

const any = (items) => items[Math.floor(Math.random() * items.length)];
const times = async (count, work) => {
  const all = [];
  for (let round = 0; round < count; round++) all.push(await work());
  return median(all);
};
const timed = async (work) => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** Milliseconds (p50) of what must not get slower as the tables grow. */
function measurements(set, client, carrier, filled) {
  const { call } = client;
  const later = JSON.stringify({
    ...JSON.parse(broadcast(contacts(1_000), 'bench')),
    schedule_time: '2099-01-01T00:00:00Z',
  });
  const receipts = () => {
    const wanted = Array.from({ length: RECEIPTS }, () => {
      const [id, seq] = [any(filled.open), 1 + Math.floor(Math.random() * RECIPIENTS)];
      return [numberOf(seq), messageIdOf(id, seq)];
    });
    return timed(() => carrier.ask({ deliver: wanted }));
  };
  return {
    accept: () => timed(() => call('POST', '/webhook/api/addbroadcastgsm.php', later)),
    flush: async () => 1_000 * (await dispatchOnce(set.database, 10_000, benchBroadcast(client, 10_000))),
    receipts,
    report: () => timed(() => call('GET', `/webhook/api/getGSMreport.php?request_id=GSMCAMP_${any(filled.own)}`)),
    list: () => timed(() => call('GET', '/v6/api/campaigns?limit=50')),
    contacts: () =>
      timed(() => call('GET', `/v6/api/campaigns/GSMCAMP_${any(filled.own)}/contacts?limit=100&page=${1 + Math.floor(Math.random() * 10)}`)), // prettier-ignore
  };
}

async function measure(set, client, carrier, filled, say) {
  const found = {};
  for (const [name, work] of Object.entries(measurements(set, client, carrier, filled))) {
    for (let round = 0; round < WARM; round++) await work();
    found[name] = await times(REPEATS[name], work);
  }
  const [[{ unmatched }]] = await set.database.query('SELECT COUNT(*) AS unmatched FROM parked_receipts');
  if (unmatched > 0) throw new Error(`${unmatched} receipts found no message`);
  say(Object.entries(found).map(([name, value]) => `${name} ${value.toFixed(1)} ms`).join(', ')); // prettier-ignore
  return found;
}

/**
 * p50 of what the service does at 1 million recipients and at many, over a buffer pool that holds a small part of them. The
 * tables are filled by SQL, cut into days, with carriers' ids at random. `GROWTH_MILLIONS=50` is the whole of it.
 */
export async function benchGrowth(environment, say) {
  const set = await stage(environment);
  const carrier = await startCarrier(set.environment, 'none');
  const filler = await mysql.createConnection(set.environment.DATABASE_URL);
  const [[{ pool }]] = await filler.query('SELECT @@GLOBAL.innodb_buffer_pool_size AS pool');
  try {
    await filler.query('SET GLOBAL innodb_buffer_pool_size = ?', [POOL_MB * 1_048_576]);
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addAccounts(set.database, 1);
    await addRoute(admin, carrier);
    await cutDays(filler, DAYS);
    await addNumbers(filler);
    await set.worker();
    const at = async (millions, before) => {
      const more = await fill(filler, (millions - before.millions) * 1_000_000, DAYS, say);
      const filled = { own: [...before.own, ...more.own], open: [...before.open, ...more.open] };
      say(`${millions} million recipients, ${POOL_MB} MB of buffer pool`);
      return { millions, ...filled, p50: await measure(set, client, carrier, filled, say) };
    };
    const small = await at(1, { millions: 0, own: [], open: [] });
    const large = await at(MILLIONS, small);
    const lines = Object.keys(large.p50).map((name) =>
      verdict(
        `${name} at ${MILLIONS} million recipients / at 1 million`,
        large.p50[name] / small.p50[name],
        'at most 1.3',
        `${large.p50[name].toFixed(1)} ms, at 1 million ${small.p50[name].toFixed(1)} ms`,
      ),
    );
    lines.push(verdict('bytes of a recipient', await bytesOfRow(filler, 'campaign_recipients'), 'at most 110', ''));
    lines.push(
      verdict("bytes of a carrier's id", await bytesOfRow(filler, 'provider_messages'), 'none', 'with its keys'),
    );
    return lines;
  } finally {
    await filler.query('SET GLOBAL innodb_buffer_pool_size = ?', [Number(pool)]);
    await filler.end();
    await set.close();
    await carrier.stop();
  }
}
