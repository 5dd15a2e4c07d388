import { setTimeout as sleep } from 'node:timers/promises';
import { addRoute } from '../../stage/carrier.mjs';
import { broadcast, contacts, until } from '../../stage/client.mjs';
import { size } from '../../stage/figures.mjs';
import { judge, sendsOf } from '../invariants.mjs';
import { firstAfterPause } from '../pauses.mjs';
import { PENDING, SUBMITTED, UNKNOWN } from '../stored-campaign.mjs';

const CONTACTS = size('CLUSTER_CONTACTS', 100_000);
/** so slow that the campaign goes on for long after the kill */
const PACE = CONTACTS / 40;
const AGAIN_MS = 10_000;
const RECEIPTS_AT_ONCE = 500;
const READ_EVERY_MS = 100;
const SHOWN = 5;

export const name = 'writer-killed';
export const shown =
  'SIGKILL of the database node that writes, and its return, in a campaign of 100,000 behind the proxy, its report, list and export read from the others all the time';
export const goal = 'sending again ≤ 10 s, 0 lost, 0 silent doubles, credits exact; every read answered';
export const needs = ['galera'];
export const environment = { RECEIPT_TIMEOUT: '30s' };

/** How many recipients are in one of these states. */
async function waiting(stage, statuses) {
  const rows = await stage.query(
    1,
    'SELECT COALESCE(SUM(recipients), 0) AS waiting FROM campaign_counters WHERE status IN (?)',
    [statuses],
  );
  return Number(rows[0].waiting);
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

/** Reads that a replica has answered, as the API counts them. */
async function replicaReads({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^database_replica_reads_total(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1] ?? 0);
}

export async function run(stage) {
  const carrier = await stage.carrier('9');
  const api = await stage.start('api', { DATABASE_READ_URL: stage.readUrl });
  const { admin, client } = await stage.signInAt(api, { gsm_credits: 2 * CONTACTS });
  await addRoute(admin, carrier, 'bench', { messages_per_second: PACE });
  const accepted = await client.call(
    ...['POST', '/webhook/api/addbroadcastgsm.php', broadcast(contacts(CONTACTS), 'bench')],
  );
  let isOver = false;
  const reading = reads(api, client.token, accepted.request_id, () => isOver);
  await Promise.all([stage.start('worker'), stage.start('worker')]);
  let taken = 0;
  const sent = async () => (taken += (await carrier.ask({ take: true })).taken);
  await until(sent, (sum) => sum >= CONTACTS / 3, { everyMs: 20 });
  const killedAt = Date.now();
  await stage.galera.nodes[0].kill();
  stage.say(`the writer is gone with ${taken} at the carrier`);
  await until(sent, (sum) => sum >= CONTACTS / 2, { everyMs: 100 });
  await stage.galera.restart(stage.galera.nodes[0]);
  const backAt = Date.now();
  stage.say(`it is back with ${await sent()} at the carrier, and is the writer again`);
  await until(() => waiting(stage, [PENDING]), (left) => left === 0, { everyMs: 500 }); // prettier-ignore
  const seen = await carrier.seen();
  const { pause, again } = firstAfterPause(seen, killedAt, backAt);
  const later = firstAfterPause(seen, backAt).pause;
  stage.say(`sending again after ${(again / 1_000).toFixed(1)} s`);
  await carrier.ask({ receipts: RECEIPTS_AT_ONCE });
  // by its receipt, or by the end of the time that one may take
  await until(() => waiting(stage, [PENDING, SUBMITTED, UNKNOWN]), (left) => left === 0, { everyMs: 500 }); // prettier-ignore
  isOver = true;
  const read = await reading;
  for (const fault of read.faults.slice(0, SHOWN)) stage.say(fault);
  const byReplica = await replicaReads(api);
  const { recipients, faults } = await judge(stage, admin, ['bench']);
  const { lost, doubled, flagged, unseen, notCharged } = sendsOf(recipients, seen);
  return {
    figure: `${(again / 1_000).toFixed(1)} s, ${lost} lost, ${doubled} doubled, ${faults.length + notCharged} faults of credits or counts; ${read.faults.length} of ${read.count} reads failed`,
    ok:
      again <= AGAIN_MS &&
      later <= AGAIN_MS &&
      lost + doubled + faults.length + notCharged + read.faults.length === 0 &&
      byReplica > 0,
    text: `longest pause ${(pause / 1_000).toFixed(1)} s, ${(later / 1_000).toFixed(1)} s when it came back; ${flagged} flagged as of unknown outcome, ${unseen} of them never at the carrier; ${byReplica} reads by readers`,
  };
}
