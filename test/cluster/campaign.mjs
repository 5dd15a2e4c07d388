/** A campaign behind the proxy while something happens to the nodes: for how long nothing leaves, and what became of everything. */
import { setTimeout as sleep } from 'node:timers/promises';
import { addRoute } from '../stage/carrier.mjs';
import { broadcast, contacts, until } from '../stage/client.mjs';
import { check, sendsOf } from './invariants.mjs';
import { longestSilence } from './pauses.mjs';
import { PENDING, SUBMITTED, UNKNOWN } from './stored-campaign.mjs';

const AGAIN_MS = 20_000;
const RECEIPTS_AT_ONCE = 500;
const READ_EVERY_MS = 100;
/** Requests of one recipient each: so many clients, each so long after its last answer. Some are always at their COMMIT. */
const [CLIENTS, ACCEPT_EVERY_MS] = [8, 100];
const FIRST_SINGLE = 918_000_000_000;
const SHOWN = 5;

export const shownGoal =
  'sending again ≤ 20 s each time, 0 lost, 0 silent doubles, credits exact; every read and request answered';
export const environment = { RECEIPT_TIMEOUT: '30s' };

/** How many recipients are in one of these states. */
async function waiting(stage, statuses) {
  const sql = 'SELECT COALESCE(SUM(recipients), 0) AS waiting FROM campaign_counters WHERE status IN (?)';
  const [row] = await stage.ask(sql, [statuses]);
  return Number(row.waiting);
}

/** Reads what readers are for, one after the other. @returns what was not answered with 200 */
async function reads({ url }, token, requestId, isOver) {
  const paths = [
    `/webhook/api/getGSMreport.php?request_id=${requestId}`,
    '/v6/api/campaigns?limit=50',
    `/v6/api/campaigns/${requestId}/contacts?limit=100`,
    `/v6/api/campaigns/${requestId}/export.csv`,
  ];
  const found = { count: 0, faults: [] };
  for (; !isOver(); found.count++) {
    const path = paths[found.count % paths.length];
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    if (response.status !== 200) found.faults.push(`${path}: ${response.status} ${text.slice(0, 200)}`);
    await sleep(READ_EVERY_MS);
  }
  return found;
}

/** Sends single messages all the time. @returns the ids that were answered, and what was refused */
async function accepts({ call }, isOver) {
  const found = { ids: [], faults: [] };
  let next = FIRST_SINGLE;
  const one = async () => {
    while (!isOver()) {
      const body = broadcast([String(next++)], 'bench');
      await call('POST', '/webhook/api/addbroadcastgsm.php', body).then(
        ({ request_id: id }) => found.ids.push(id),
        ({ message }) => found.faults.push(message.slice(0, 300)),
      );
      await sleep(ACCEPT_EVERY_MS);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, one));
  return found;
}

/** A counter of these processes, summed by its label. */
async function counted(apps, pattern) {
  const sums = new Map();
  for (const { url } of apps) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, label, value] of text.matchAll(pattern)) sums.set(label, (sums.get(label) ?? 0) + Number(value));
  }
  return sums;
}

const seconds = (ms) => (ms / 1_000).toFixed(1);

/**
 * @param stage of a row @param {{ recipients: number, seconds: number }} size how long it would take if nothing happened
 * @param {(scene: { sent(share: number): Promise<void>, strike(text: string, what: () => unknown): Promise<void> }) => Promise<void>}
 * script `sent` waits until this share of the campaign is at the carrier; `strike` does something to the nodes; the longest
 * silence until the next one is its figure
 */
export async function campaignDuring(stage, size, script) {
  const carrier = await stage.carrier('9');
  const api = await stage.start('api', { DATABASE_READ_URL: stage.readUrl });
  const { admin, client } = await stage.signInAt(api, { gsm_credits: 3 * size.recipients });
  await addRoute(admin, carrier, 'bench', { messages_per_second: Math.ceil(size.recipients / size.seconds) });
  const { request_id: requestId } = await client.call(
    ...['POST', '/webhook/api/addbroadcastgsm.php', broadcast(contacts(size.recipients), 'bench')],
  );
  let isOver = false;
  const reading = reads(api, client.token, requestId, () => isOver);
  await Promise.all([stage.start('worker'), stage.start('worker')]);
  const accepting = accepts(client, () => isOver);
  let taken = 0;
  const strikes = [];
  await script({
    sent: async (share) => {
      const look = async () => (taken += (await carrier.ask({ take: true })).taken);
      await until(look, (sum) => sum >= share * size.recipients, { everyMs: 20 });
    },
    strike: async (text, what) => {
      strikes.push({ text, at: Date.now() });
      await what();
      stage.say(`${text}, with ${taken} at the carrier`);
    },
  });
  isOver = true;
  const [read, accepted] = [await reading, await accepting];
  await until(() => waiting(stage, [PENDING]), (left) => left === 0, { everyMs: 500 }); // prettier-ignore
  const seen = await carrier.seen();
  const silences = strikes.map(({ text, at }, index) => {
    const silence = longestSilence(seen, at, strikes[index + 1]?.at);
    stage.say(`${text}: nothing sent for ${seconds(silence)} s`);
    return silence;
  });
  await carrier.ask({ receipts: RECEIPTS_AT_ONCE });
  // by its receipt, or by the end of the time that one may take
  await until(() => waiting(stage, [PENDING, SUBMITTED, UNKNOWN]), (left) => left === 0, { everyMs: 500 }); // prettier-ignore
  const byReplica = (await counted([api], /^database_replica_reads_total()(?:\{[^}]*\})? (\d+)$/gm)).get('') ?? 0;
  const retried = await counted(stage.apps, /^database_transaction_retries_total\{.*?errno="(\w+)".*?\} (\d+)$/gm);
  const { campaigns, recipients, faults } = await check(stage, admin, ['bench']);
  const stored = new Set(campaigns.map((campaign) => campaign.requestId));
  const missing = accepted.ids.filter((id) => !stored.has(id)).length;
  // what was answered with a fault may have been accepted or not
  const twice = Math.max(0, campaigns.length - 1 - accepted.ids.length - accepted.faults.length);
  const { lost, doubled, flagged, unseen, notCharged } = sendsOf(recipients, seen);
  const wrong = faults.length + notCharged + missing + twice;
  for (const fault of [...read.faults.slice(0, SHOWN), ...accepted.faults.slice(0, SHOWN)]) stage.say(fault);
  const requests = accepted.ids.length + accepted.faults.length;
  return {
    figure:
      `${silences.map(seconds).join(', ')} s, ${lost} lost, ${doubled} doubled, ${wrong} faults of credits or counts; ` +
      `${read.faults.length} of ${read.count} reads, ${accepted.faults.length} of ${requests} requests failed`,
    ok:
      silences.every((silence) => silence <= AGAIN_MS) &&
      lost + doubled + wrong + read.faults.length + accepted.faults.length === 0 &&
      byReplica > 0,
    text:
      `${flagged} flagged as of unknown outcome, ${unseen} of them never at the carrier; ${byReplica} reads by readers; ` +
      `run again: ${[...retried].map(([errno, count]) => `${count} after ${errno}`).join(', ') || 'nothing'}; ` +
      `${missing} answered and not stored, ${twice} stored twice`,
  };
}
