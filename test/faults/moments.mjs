/**
 * Exact moments, found at the ways: what a process says to the database or to a carrier is read as it passes, and held there
 * while the process is killed. Nothing in the service knows of it.
 */

/** Text that a connection has said since it was last answered is kept up to here. */
const MOST_TEXT = 200_000;
/** COM_QUERY, and its text. */
const COMMIT = '\x03COMMIT';
const SUBMIT_SM = 4;
const SUBMIT_SM_RESP = 0x80000004;

/** A promise with its end in hand, and a time by which it must have come. */
function moment(what, withinMs = 20_000) {
  const ends = {};
  const promise = new Promise((resolve, reject) => Object.assign(ends, { resolve, reject }));
  const timer = setTimeout(() => ends.reject(new Error(`${what} did not come within ${withinMs / 1_000} s`)), withinMs);
  return { promise: promise.finally(() => clearTimeout(timer)), ...ends };
}

/**
 * Waits for a statement of a process, and holds it or its answer at that moment.
 * @param {import('../stage/way.mjs').Way} way to the database @param {(text: string, line: object) => boolean} matches what was said
 * since the last answer @param {'statement' | 'answer'} which is held @returns the line; `line.release()` lets it go on
 */
export async function holdStatement(way, what, matches, which) {
  const { promise, resolve } = moment(what);
  const end = way.tap(({ from, chunk, line }) => {
    const { notes } = line;
    if (from === 'client') {
      notes.said = ((notes.said ?? '') + chunk.latin1Slice()).slice(-MOST_TEXT);
      notes.matches = matches(notes.said, line);
      if (!notes.matches || which === 'answer') return undefined;
    } else {
      notes.said = '';
      if (!notes.matches) return undefined;
    }
    resolve(line);
    end();
    return 'hold';
  });
  return promise.finally(end);
}

/** COMMIT of an acceptance: the transaction has written a campaign. */
export function commitsCampaign(text, { notes }) {
  if (/INSERT INTO campaigns /.test(text)) notes.writesCampaign = true;
  if (!text.endsWith(COMMIT)) return false;
  const { writesCampaign = false } = notes;
  notes.writesCampaign = false;
  return writesCampaign;
}

/** A worker takes lanes, which is the last in the database before messages leave. */
export const claimsLanes = (text) => /UPDATE[\s\S]*campaign_lanes[\s\S]*SET[\s\S]*claim_id = /.test(text);

/** A worker writes what became of a window: not of receipts, whose writer may hold none that another could take over. */
export const writesResults = (text) => /INSERT IGNORE INTO provider_messages/.test(text);

/** A worker says of a lost worker's recipients that they may have left. */
export const marksUnknown = (text) => /INSERT IGNORE INTO unknown_outcomes/.test(text);

/** True when there is an SMPP request or answer of this kind in a chunk; each begins with its length. */
function hasPdu(chunk, command) {
  for (let at = 0; at + 8 <= chunk.length; at += Math.max(16, chunk.readUInt32BE(at))) {
    if (chunk.readUInt32BE(at + 4) === command) return true;
  }
  return false;
}

/** Waits until a message passes to the SMSC, or an answer comes from it. @param {'submit' | 'answer'} which @param hold whether it is held */
export async function atSmsc(way, which, { hold }) {
  const { promise, resolve } = moment(`an SMPP ${which}`);
  const [from, command] = which === 'submit' ? ['client', SUBMIT_SM] : ['server', SUBMIT_SM_RESP];
  const end = way.tap((said) => {
    if (said.from !== from || !hasPdu(said.chunk, command)) return undefined;
    resolve(said.line);
    end();
    return hold ? 'hold' : undefined;
  });
  return promise.finally(end);
}
