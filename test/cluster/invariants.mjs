import { counts, ends, money, proofs } from '../faults/invariants/check.mjs';
import { snapshot, STATUS } from '../faults/invariants/snapshot.mjs';

const SHOWN = 5;

/**
 * Who was sent what, by what the carrier has: `{ lost, doubled, flagged }`, recipients that were never there although they are
 * told as sent, that were there more often than once and are not flagged as of unknown outcome, and that are flagged.
 * @param {Map<string, unknown[]>} seen of the carrier, by number @param rows recipients; each number is one of them
 */
export function sendsOf(rows, seen) {
  const sent = rows.filter(({ status }) => status !== STATUS.Cancelled && status !== STATUS.Pending);
  const flagged = rows.filter(({ flagged: isFlagged }) => isFlagged);
  return {
    lost: sent.filter((row) => !row.flagged && !row.refunded && !seen.has(row.number)).length,
    doubled: rows.filter((row) => !row.flagged && (seen.get(row.number)?.length ?? 0) > 1).length,
    flagged: flagged.length,
    unseen: flagged.filter(({ number }) => !seen.has(number)).length,
    notCharged: rows.filter((row) => (row.refunded || row.status === STATUS.Cancelled) && seen.has(row.number)).length,
  };
}

/**
 * Everything of this stage, read on the last node with what all others have committed.
 * @returns what was found of campaigns and recipients, and every fault as a text
 */
export async function check(stage, admin, usernames) {
  const found = await snapshot(stage.pools.at(-1) ?? stage.pool, new Set(), '9');
  const faults = [...money(found), ...ends(found), ...counts(found, new Map())];
  for await (const fault of proofs(admin, usernames)) faults.push(fault);
  for (const { invariant, requestId, text } of faults.slice(0, SHOWN)) {
    stage.say(`${invariant} ${requestId ?? ''} ${text}`);
  }
  return { ...found, faults };
}
