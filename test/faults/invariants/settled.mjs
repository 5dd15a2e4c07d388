import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { entriesAt, faultOutcome, isTold } from '../carriers/carrier.mjs';
import { campaignsSince, isFinal, recipientsOf, sessionsOf, STATUS } from './snapshot.mjs';

const EVERY_MS = 300;
const TELL_EVERY_MS = 5_000;
/** Nothing has moved for so long: receipts that came early have been looked at again by then, and notes of killed workers read. */
const QUIET_MS = 1_500;
/** So much load for each of its cores is not this run's own: the machine has other work, and the clock says little of the service. */
const FOREIGN_LOAD = 5;
/** There the limit is stretched at the most so many times, and only while something moves. */
const MOST_STRETCHED = 4;
const STILL_MS = 30_000;
const WAITING = [STATUS.Submitted, STATUS.Unknown];

/** Notes of workers that are gone, which others still have to read. */
function unreadNotes({ environment, workers }) {
  const home = join(environment.DATA_DIR, 'submit-notes');
  if (!existsSync(home)) return 0;
  const notes = readdirSync(home, { recursive: true }).filter((file) => /\.note$/.test(String(file)));
  return Math.max(0, notes.length - workers.filter(({ isAlive }) => isAlive).length);
}

const pendingReceipts = ({ carriers }) => Object.values(carriers).reduce((sum, { outbox }) => sum + outbox.pending, 0);

/**
 * True when what the carriers have of a number is all of one recipient. Else a retry of it may be there too, or the rest of a
 * message of several items, of which the first is of unknown outcome, was never sent.
 */
const isWhole = ({ number, flagged, campaign }, timesOf) =>
  timesOf.get(number) === 1 && !(flagged && campaign.channel === 'unofficial');

/** How often each number is a recipient. */
function timesOfNumbers(recipients) {
  const times = new Map();
  for (const { number } of recipients) times.set(number, (times.get(number) ?? 0) + 1);
  return times;
}

/** No receipt comes any more, and all that came have counted: the deadline is moved to now for those that still wait for one. */
async function endReceiptTime(pool, open, numberPrefix) {
  await pool.query(
    'UPDATE session_messages SET updated_at = updated_at - INTERVAL 80 HOUR WHERE receiver LIKE ? AND status IN (?)',
    [`${numberPrefix}%`, WAITING],
  );
  const ids = [...new Set(open.map(({ campaignId }) => campaignId))];
  if (ids.length === 0) return;
  await pool.query(
    'UPDATE campaign_recipients SET updated_at = updated_at - INTERVAL 80 HOUR WHERE campaign_id IN (?) AND status IN (?)',
    [ids, WAITING],
  );
  await pool.query('UPDATE campaigns SET overdue_check_at = UTC_TIMESTAMP(3) WHERE id IN (?) AND open_lanes > 0', [
    ids,
  ]);
}

/**
 * Waits until every recipient and session message is final and every event has been delivered.
 * @param {{ known: Set<number>, numberPrefix: string }} own of the strike: campaigns from before it, the beginning of its numbers
 * @returns what it waited for in vain, '' if for nothing
 */
export async function untilSettled(scene, { known, numberPrefix }, { withinMs, say }) {
  const entriesOf = entriesAt(scene.carriers);
  const deadline = Date.now() + withinMs;
  let missing = '';
  let last = '';
  let since = Date.now();
  let ended = false;
  let toldAt = Date.now();
  const isBusy = () => loadavg()[0] > FOREIGN_LOAD * availableParallelism();
  const mayGoOn = () =>
    isBusy() && Date.now() - since < STILL_MS && Date.now() < deadline + (MOST_STRETCHED - 1) * withinMs;
  while (Date.now() < deadline || mayGoOn()) {
    await sleep(EVERY_MS);
    const recipients = await recipientsOf(scene.pool, await campaignsSince(scene.pool, known));
    const open = recipients.filter(({ status }) => !isFinal(status));
    const sessions = (await sessionsOf(scene.pool, numberPrefix)).filter(
      ({ status, waits }) => !isFinal(status) && !waits,
    );
    const [[{ deliveries }]] = await scene.pool.query('SELECT COUNT(*) AS deliveries FROM webhook_deliveries');
    const receipts = pendingReceipts(scene);
    if (open.length === 0 && sessions.length === 0 && receipts === 0 && deliveries === 0) return '';
    const statuses = Object.entries(STATUS).map(([name, status]) => [
      name,
      open.filter((row) => row.status === status),
    ]);
    const held = statuses.filter(([, rows]) => rows.length > 0);
    const words = held.map(
      ([name, rows]) => `${rows.length} ${name} (${rows[0].campaign.requestId} ${rows[0].number})`,
    );
    if (sessions.length > 0)
      words.push(`${sessions.length} session messages (${sessions[0].number} in ${sessions[0].status})`);
    missing = [...words, `${receipts} receipts`, `${deliveries} deliveries`].join(', ');
    if (missing !== last) [last, since] = [missing, Date.now()];
    if (Date.now() - toldAt >= TELL_EVERY_MS) {
      toldAt = Date.now();
      say(`waits for ${missing}`);
    }
    // of some numbers no carrier ever tells: they are not waited for
    const isSilent = ({ number, status }) => status === STATUS.Submitted && faultOutcome(number) === 'silent';
    const quietMs = open.every(isSilent) ? 0 : QUIET_MS;
    const isQuiet = Date.now() - since >= quietMs && receipts === 0 && unreadNotes(scene) === 0;
    if (!isQuiet) ended = false;
    if (!isQuiet || ended) continue;
    const times = timesOfNumbers(recipients);
    const hasNoReceipt = (row) =>
      WAITING.includes(row.status) && !(isWhole(row, times) && isTold(entriesOf(row.number)));
    // the network says nothing but its own id, which is not known of a message whose answer was lost
    const endsUntold = ({ id, number, status }) =>
      WAITING.includes(status) && !(id !== null && isTold(entriesOf(number)));
    if (open.length + sessions.length > 0 && open.every(hasNoReceipt) && sessions.every(endsUntold)) {
      await endReceiptTime(scene.pool, open, numberPrefix);
      ended = true;
    }
  }
  return missing;
}
