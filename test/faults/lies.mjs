import { campaignsSince, recipientsOf, sessionsOf, STATUS } from './invariants/snapshot.mjs';

/**
 * Ways in which the books are falsified once everything has come to rest: whoever doubts the check sees whether it notices
 * (`--lies`). Each gets a delivered recipient of its own. `sees`: the words of the check that this lie, and no other, is noticed by.
 */
export const LIES = [
  {
    invariant: 'I1',
    sees: /stored/,
    tell: ({ query }) => query('UPDATE credit_balances SET available = available + 1 WHERE available > 0 LIMIT 1'),
  },
  {
    invariant: 'I1',
    sees: /left by campaigns/,
    tell: ({ query, recipient: { campaignId } }) =>
      query('UPDATE campaigns SET refunded_credits = refunded_credits + 1 WHERE id = ?', [campaignId]),
  },
  {
    invariant: 'I2',
    sees: /was debited 0/,
    tell: ({ query, recipient: { campaign } }) =>
      query('DELETE FROM credit_ledger WHERE request_id = ? AND kind = ?', [campaign.requestId, 'debit']),
  },
  {
    invariant: 'I2',
    sees: /no campaign of it/,
    tell: ({ query, recipient: { campaign } }) =>
      query('UPDATE credit_ledger SET request_id = ? WHERE request_id = ? AND kind = ?', [
        ...['nobody', campaign.requestId, 'debit'],
      ]),
  },
  {
    invariant: 'I2',
    sees: /0 messages stored/,
    isOfSession: true,
    tell: ({ query, session }) => query('DELETE FROM session_messages WHERE receiver = ?', [session.number]),
  },
  {
    invariant: 'I3',
    sees: /^still in status/,
    tell: ({ query, key }) => query(`UPDATE campaign_recipients SET status = ${STATUS.Submitted} WHERE ${key}`),
  },
  {
    invariant: 'I3',
    sees: /^session message still/,
    isOfSession: true,
    tell: ({ query, session }) =>
      query(`UPDATE session_messages SET status = ${STATUS.Unknown} WHERE receiver = ?`, [session.number]),
  },
  {
    invariant: 'I4',
    sees: /allowed/,
    tell: ({ scene, recipient: { number } }) => {
      const carrier = Object.values(scene.carriers).find((each) => each.entriesOf(number).length > 0);
      carrier.entriesOf(number).push(...carrier.entriesOf(number));
    },
  },
  {
    invariant: 'I4',
    sees: /session messages$/,
    isOfSession: true,
    tell: ({ scene, session: { number } }) => scene.carriers.graph.take({ number }),
  },
  {
    invariant: 'I5',
    sees: /became/,
    tell: ({ query, key }) => query(`UPDATE campaign_recipients SET status = ${STATUS.Failed} WHERE ${key}`),
  },
  {
    invariant: 'I6',
    sees: /was not told/,
    tell: ({ scene, recipient: { number } }) => {
      for (const customer of Object.values(scene.customers)) {
        customer.seen = customer.seen.filter(({ body }) => body.receiver !== number);
      }
    },
  },
  {
    invariant: 'I7',
    sees: /^counter of status/,
    tell: ({ query, recipient: { campaignId } }) =>
      query('UPDATE campaign_counters SET recipients = recipients + 1 WHERE campaign_id = ? LIMIT 1', [campaignId]),
  },
  {
    invariant: 'I7',
    sees: /^the counters come to 0/,
    tell: ({ query, recipient: { campaignId } }) =>
      query('DELETE FROM campaign_counters WHERE campaign_id = ?', [campaignId]),
  },
  {
    invariant: 'I8',
    sees: /500 "a lie"/,
    tell: ({ traffic }) => traffic.asked.push({ ...A_LIE, status: 500, outcome: 'unknown', at: Date.now() }),
  },
  {
    invariant: 'I8',
    sees: /401 "a lie"/,
    tell: ({ traffic }) => traffic.asked.push({ ...A_LIE, status: 401, outcome: 'refused', at: Date.now() }),
  },
  {
    invariant: 'I9',
    sees: /never at a carrier/,
    tell: ({ query, key }) => query(`UPDATE campaign_recipients SET receiver = '1' WHERE ${key}`),
  },
];
const A_LIE = { said: 'a lie', name: 'a lie', numbers: [], isSession: false };

/** A campaign for each lie of it, so that none is noticed by another's. */
const ofOwnCampaigns = (recipients) => {
  const byCampaign = new Map(recipients.map((recipient) => [recipient.campaignId, recipient]));
  return [...byCampaign.values()];
};

/** Tells all of them. */
export async function tellLies(scene, traffic, before) {
  const query = (sql, values) => scene.pool.query(sql, values);
  const recipients = await recipientsOf(scene.pool, await campaignsSince(scene.pool, before));
  const delivered = recipients.filter(
    ({ status, campaign }) => status === STATUS.Delivered && campaign.channel === 'sms',
  );
  const own = ofOwnCampaigns(delivered);
  const sessions = await sessionsOf(scene.pool, traffic.numbers.prefix);
  const answered = traffic.asked.filter(({ isSession, outcome }) => isSession && outcome === 'answered');
  const known = sessions.filter(({ number }) => answered.some(({ numbers }) => numbers[0] === number));
  for (const { tell, isOfSession } of LIES) {
    const recipient = own.shift();
    const session = isOfSession ? known.shift() : null;
    if (!recipient || session === undefined)
      throw new Error('there is too little to lie about: more seconds are needed');
    const key = `campaign_id = ${recipient.campaignId} AND seq = ${recipient.seq}`;
    await tell({ scene, traffic, query, recipient, session, key });
  }
}
