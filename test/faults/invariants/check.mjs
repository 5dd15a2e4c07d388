import { isTaken, isTold } from '../carriers/carrier.mjs';
import { isFinal, STATUS } from './snapshot.mjs';

const { Cancelled, Delivered, Failed, Read, Submitted } = STATUS;
const groups = (rows, keyOf) => {
  const found = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (found.has(key)) found.get(key).push(row);
    else found.set(key, [row]);
  }
  return found;
};
const sum = (rows, of) => rows.reduce((total, row) => total + Number(of(row)), 0);
const creditsOf = ({ credits, campaign }) => credits ?? campaign.unitCredits;
const isToldAsSent = ({ status }) => status === Delivered || status === Read || status === Submitted;
const isRefunded = ({ status, refunded }) => status === Cancelled || Boolean(refunded);

/**
 * I1: each balance is what its ledger sums to, never negative; what a campaign got back is what its recipients had cost. I2: its
 * debit is what they cost, and every debit and refund is a campaign's.
 */
export function* money({ campaigns, recipients, ledger, balances, strays }) {
  for (const { requestId, kind, amount } of strays) {
    yield { invariant: 'I2', requestId, text: `${kind} of ${amount}, and no campaign of it` };
  }
  for (const { account, balance, available } of balances) {
    if (available < 0) yield { invariant: 'I1', text: `${account} ${balance} is ${available}` };
    const own = ledger.filter((entry) => entry.account === account && entry.balance === balance);
    const left = sum(own, ({ amount }) => amount);
    if (left !== Number(available))
      yield { invariant: 'I1', text: `${account} ${balance}: ledger ${left}, stored ${available}` };
  }
  const byRequest = groups(ledger, ({ requestId }) => requestId);
  const byCampaign = groups(recipients, ({ campaignId }) => campaignId);
  for (const campaign of campaigns) {
    const { requestId } = campaign;
    const entries = byRequest.get(requestId) ?? [];
    const debits = entries.filter(({ kind }) => kind === 'debit');
    const own = byCampaign.get(campaign.id) ?? [];
    const cost = sum(own, creditsOf);
    const spent = -sum(debits, ({ amount }) => amount);
    if (sum(debits, (row) => row.entries) !== 1 || spent !== cost || Number(campaign.charged) !== cost) {
      yield {
        invariant: 'I2',
        requestId,
        text: `costs ${cost}, was debited ${spent} in ${sum(debits, (row) => row.entries)} entries`,
      };
    }
    const back = sum(entries.filter(({ kind }) => kind === 'refund'), ({ amount }) => amount); // prettier-ignore
    const due = sum(own.filter(isRefunded), creditsOf);
    if (back !== due) yield { invariant: 'I1', requestId, text: `refunded ${back}, due are ${due}` };
  }
}

/** I1: initial = balance + spent − refunded. @param granted balances before anything was sent */
export function* books({ balances, spent }, granted) {
  const of = (rows, { account, balance }) => rows.find((row) => row.account === account && row.balance === balance);
  for (const initial of granted) {
    const { account, balance } = initial;
    const { charged = 0, refunded = 0 } = of(spent, initial) ?? {};
    const left = Number(initial.available) - Number(charged) + Number(refunded);
    const stored = Number(of(balances, initial)?.available);
    if (left !== stored)
      yield { invariant: 'I1', text: `${account} ${balance}: ${left} are left by campaigns, stored ${stored}` };
  }
}

/** I1: what staff are told of every account's balances, its ledger and its usage. */
export async function* proofs(admin, usernames) {
  for (const username of usernames) {
    const { data } = await admin.call('GET', `/v6/api/admin/accounts/${username}/credits/proof`);
    for (const { ok, ...proof } of data) {
      if (!ok) yield { invariant: 'I1', text: `${username}: the proof says ${JSON.stringify(proof)}` };
    }
  }
}

/** Session messages that there may be of a request: asked again, it is another one where the network has refused the first. */
const SESSIONS = {
  answered: (stored) => stored.length === 1,
  refused: (stored) => stored.length === 0,
  unknown: (stored) => stored.filter(({ status, error }) => status !== Failed || error === UNTOLD).length <= 1,
};
/** What may have left, and nothing was heard of it until the end of the time that a receipt may take. */
const UNTOLD = 'No delivery receipt';

const isChild = ({ retryOf }) => retryOf !== null;

/** I2: answered → exactly one campaign with all its recipients; refused → none; unknown → all or nothing, by the client's name. */
export function* acceptance({ asked, changes, again }, { campaigns, recipients, sessions }, entriesOf) {
  const ofNumber = groups(recipients.filter(({ campaign }) => !isChild(campaign)), ({ number }) => number); // prettier-ignore
  const repeated = new Map(again);
  for (const entry of asked) {
    const { outcome, numbers, name, account, kind, isSession } = entry;
    const what = { invariant: 'I2', number: numbers[0], requestId: entry.requestId };
    const about = `${kind} ${name} of ${account}, ${outcome} ${entry.status ?? ''}`;
    if (isSession) {
      const stored = sessions.filter(({ number }) => number === numbers[0]);
      if (!SESSIONS[outcome](stored)) yield { ...what, text: `${about}: ${stored.length} messages stored` };
      if (outcome === 'refused' && entriesOf(numbers[0]).length > 0) yield { ...what, text: `${about}: it left` };
      continue;
    }
    const found = [
      ...new Set(numbers.flatMap((number) => (ofNumber.get(number) ?? []).map(({ campaign }) => campaign))),
    ];
    const rows = sum(numbers, (number) => (ofNumber.get(number) ?? []).length);
    const later = repeated.get(entry);
    const most = outcome === 'refused' ? 0 : 1;
    if (found.length > most)
      yield { ...what, text: `${about}: ${found.map(({ requestId }) => requestId).join(', ') || 'none'} exist` };
    if (outcome === 'answered' && found.length === 0)
      yield { ...what, text: `${about}: no campaign ${entry.requestId}` };
    if (found.length === 1 && rows !== numbers.length)
      yield { ...what, text: `${about}: ${rows} of ${numbers.length} recipients` };
    const named = outcome === 'answered' ? entry.requestId : later?.outcome === 'answered' ? later.requestId : null;
    if (named !== null && found.length === 1 && found[0].requestId !== named) {
      yield { ...what, text: `${about}: the answer names ${named}, there is ${found[0].requestId}` };
    }
    if (later && (later.status === null || later.status >= 500)) yield { ...what, invariant: 'I8', text: `${about}: asked again, ${later.status} ${JSON.stringify(later.said)}` }; // prettier-ignore
    if (outcome === 'refused' && numbers.some((number) => entriesOf(number).length > 0)) {
      yield { ...what, text: `${about}: it left` };
    }
  }
  for (const { what, childId, requestId } of changes.filter((change) => change.childId)) {
    const children = campaigns.filter((campaign) => campaign.requestId === childId);
    if (children.length !== 1)
      yield { invariant: 'I2', requestId, text: `${what} answered ${childId}, there are ${children.length}` };
  }
}

/** I3: every accepted recipient and session message is final (what waits for a time has had it). */
export function* ends({ recipients, sessions }) {
  for (const { status, number, campaign } of recipients) {
    if (!isFinal(status))
      yield { invariant: 'I3', number, requestId: campaign.requestId, text: `still in status ${status}` };
  }
  for (const { status, number, waits } of sessions) {
    if (!isFinal(status) && !waits)
      yield { invariant: 'I3', number, text: `session message still in status ${status}` };
  }
}

/** What a valid request may be told where something has come before it: its campaign has gone on, its time has passed. */
const isOvertaken = ({ what, status, said }, overtaken) => (what && status === 409) || overtaken.includes(said?.code);
const OVERTAKEN = ['schedule_time_past'];

/** I8: whatever is broken, nobody is told that a valid request is at fault. @param overtaken codes of what a strike lets pass besides */
export function* refusals({ asked, changes }, overtaken = []) {
  for (const entry of [...asked, ...changes]) {
    const { status, said, path, what, name, requestId, number } = entry;
    const isFault = status !== null && status >= 400 && status < 500;
    if (!isFault || isOvertaken(entry, [...OVERTAKEN, ...overtaken])) continue;
    const text = `${what ?? path} ${name ?? ''}: ${status} ${JSON.stringify(said)}`;
    yield { invariant: 'I8', requestId, number, text };
  }
}

/**
 * I4 and I9, number by number: what the carriers have beside what was charged. At most one send a recipient, and none of one
 * that was refunded; nobody is charged for what no carrier ever saw. Recipients flagged as of unknown outcome are counted instead.
 */
export function* sends({ recipients, sessions }, entriesOf, allowedCalls, figures) {
  for (const [number, rows] of groups(recipients, (row) => row.number)) {
    const entries = entriesOf(number);
    const requestId = rows[0].campaign.requestId;
    const isFlagged = rows.some(({ flagged }) => flagged);
    const taken = groups(entries.filter(({ answer }) => isTaken(answer)), ({ item }) => item); // prettier-ignore
    const most = Math.max(0, ...[...taken.values()].map((some) => some.length));
    const charged = rows.filter((row) => !isRefunded(row));
    const allowed = sum(charged, ({ campaign }) => (campaign.channel === 'voice' ? allowedCalls(campaign) : 1));
    figures.messages += rows.length;
    figures.unknown += sum(rows, ({ flagged }) => flagged);
    if (most > allowed) {
      figures.doubled += 1;
      const text = `${most} sends, ${allowed} allowed (${rows.map(({ status, error }) => `${status} ${error ?? ''}`).join('; ')})`;
      if (!isFlagged) yield { invariant: 'I4', number, requestId, text };
    }
    const certain = charged.filter(({ flagged }) => !flagged);
    if (certain.length > 0 && entries.length === 0) {
      figures.lost += 1;
      yield {
        invariant: 'I9',
        number,
        requestId,
        text: `charged and never at a carrier (${certain[0].status} ${certain[0].error ?? ''})`,
      };
    } else if (isFlagged && entries.length === 0) figures.unseen += 1;
    const untold = rows.find(({ error }) => error === UNTOLD);
    const isWhole = rows.length === 1 && !(isFlagged && untold?.campaign.channel === 'unofficial');
    if (untold && isWhole && isTold(entries)) {
      const words = entries.map((entry) => entry.told).join(', ');
      yield { invariant: 'I3', number, requestId, text: `${words} was acknowledged to the carrier, and is lost` };
    }
    if (most === 0 && rows.some(isToldAsSent))
      yield { invariant: 'I9', number, requestId, text: 'told as sent, and no carrier took it' };
  }
  for (const [number, rows] of groups(sessions, (row) => row.number)) {
    const most = entriesOf(number).filter(({ answer }) => isTaken(answer)).length;
    figures.messages += rows.length;
    if (most > rows.length) {
      figures.doubled += 1;
      yield { invariant: 'I4', number, text: `${most} sends of ${rows.length} session messages` };
    }
    if (most === 0 && rows.some(isToldAsSent))
      yield { invariant: 'I9', number, text: 'session message told as sent, and no carrier took it' };
    const untold = rows.find(({ id, error }) => id !== null && error === UNTOLD);
    if (untold && isTold(entriesOf(number)))
      yield { invariant: 'I3', number, text: 'a receipt of the session message was acknowledged, and is lost' };
  }
}

/** I7: counts sum to the total, in the counters and in what the API tells. @param details of the API, by request id */
export function* counts({ campaigns, recipients, counters }, details) {
  const byCampaign = groups(recipients, ({ campaignId }) => campaignId);
  const counted = groups(counters, ({ campaignId }) => campaignId);
  for (const { id, requestId, total } of campaigns) {
    const own = byCampaign.get(id) ?? [];
    if (own.length !== total) yield { invariant: 'I7', requestId, text: `${own.length} recipients of ${total}` };
    const counter = sum(counted.get(id) ?? [], (row) => row.recipients);
    if (counter !== total) yield { invariant: 'I7', requestId, text: `the counters come to ${counter} of ${total}` };
    const statuses = groups(own, ({ status }) => status);
    for (const { status, recipients: count } of counted.get(id) ?? []) {
      const there = statuses.get(status)?.length ?? 0;
      if (Number(count) !== there)
        yield { invariant: 'I7', requestId, text: `counter of status ${status} is ${count}, there are ${there}` };
    }
    const detail = details.get(requestId);
    if (detail && sum(Object.values(detail.status_counts), Number) !== total) {
      yield {
        invariant: 'I7',
        requestId,
        text: `the detail counts ${JSON.stringify(detail.status_counts)} of ${total}`,
      };
    }
  }
}
