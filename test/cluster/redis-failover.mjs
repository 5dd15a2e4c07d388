/** A campaign during which a master of Redis is killed: how long nothing leaves, and what became of it. */
import { addRoute } from '../stage/carrier.mjs';
import { broadcast, contacts, until } from '../stage/client.mjs';
import { check, sendsOf } from './invariants.mjs';
import { firstAfterPause } from './pauses.mjs';
import { PENDING, SUBMITTED, UNKNOWN } from './stored-campaign.mjs';

const CONTACTS = 20_000;
/** so slow that the campaign goes on for long after the kill */
const PACE = 700;
const AGAIN_MS = 20_000;
const RECEIPTS_AT_ONCE = 500;

export const shownGoal = 'sending again ≤ 20 s, 0 lost, 0 silent doubles';

async function waiting({ pool }, statuses) {
  const [rows] = await pool.query(
    'SELECT COALESCE(SUM(recipients), 0) AS waiting FROM campaign_counters WHERE status IN (?)',
    [statuses],
  );
  return Number(rows[0].waiting);
}

/** @param stage of a row @param {() => { kill(): Promise<void> }} chosen the master that has the queue of text messages */
export async function killDuringCampaign(stage, chosen) {
  const carrier = await stage.carrier('9');
  const api = await stage.start('api');
  const { admin, client } = await stage.signInAt(api, { gsm_credits: 2 * CONTACTS });
  await addRoute(admin, carrier, 'bench', { messages_per_second: PACE });
  await client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast(contacts(CONTACTS), 'bench'));
  await Promise.all([stage.start('worker'), stage.start('worker')]);
  let taken = 0;
  const third = async () => (taken += (await carrier.ask({ take: true })).taken);
  await until(third, (sum) => sum >= CONTACTS / 3, { everyMs: 20 });
  const killedAt = Date.now();
  await chosen().kill();
  stage.say(`the master is gone with ${taken} at the carrier`);
  await until(() => waiting(stage, [PENDING]), (left) => left === 0, { everyMs: 500 }); // prettier-ignore
  const seen = await carrier.seen();
  const { pause, again } = firstAfterPause(seen, killedAt);
  await carrier.ask({ receipts: RECEIPTS_AT_ONCE });
  await until(() => waiting(stage, [PENDING, SUBMITTED, UNKNOWN]), (left) => left === 0, { everyMs: 500 }); // prettier-ignore
  const { recipients, faults } = await check(stage, admin, ['bench']);
  const { lost, doubled, flagged, notCharged } = sendsOf(recipients, seen);
  return {
    figure: `${(again / 1_000).toFixed(1)} s, ${lost} lost, ${doubled} doubled`,
    ok: again <= AGAIN_MS && lost === 0 && doubled === 0 && faults.length === 0 && notCharged === 0,
    text: `longest pause ${(pause / 1_000).toFixed(1)} s; ${flagged} flagged as of unknown outcome; ${faults.length + notCharged} faults of credits or counts`,
  };
}
