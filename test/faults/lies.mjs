import { campaignsSince, recipientsOf, STATUS } from './invariants/snapshot.mjs';

/**
 * Ways in which the books are falsified once everything has come to rest, one for each invariant: whoever doubts the judge sees
 * whether it notices (`--lies`). Each gets a delivered recipient of its own.
 */
const LIES = {
  I1: ({ query }) => query('UPDATE credit_balances SET available = available + 1 WHERE available > 0 LIMIT 1'),
  I2: ({ query, recipient: { campaign } }) =>
    query('DELETE FROM credit_ledger WHERE request_id = ? AND kind = ?', [campaign.requestId, 'debit']),
  I3: ({ query, key }) => query(`UPDATE campaign_recipients SET status = ${STATUS.Submitted} WHERE ${key}`),
  I4: ({ scene, recipient: { number } }) => scene.carriers.smsc.take({ number }),
  I5: ({ query, key }) => query(`UPDATE campaign_recipients SET status = ${STATUS.Failed} WHERE ${key}`),
  I6: ({ scene, recipient: { number } }) => {
    for (const customer of Object.values(scene.customers)) {
      customer.seen = customer.seen.filter(({ body }) => body.receiver !== number);
    }
  },
  I7: ({ query, recipient: { campaignId } }) =>
    query('UPDATE campaign_counters SET recipients = recipients + 1 WHERE campaign_id = ? LIMIT 1', [campaignId]),
  I8: ({ traffic }) => {
    const late = { at: Date.now(), status: 500, said: 'a lie', name: 'a lie', numbers: [], outcome: 'unknown' };
    traffic.asked.push({ ...late, isSession: false });
  },
  I9: ({ query, key }) => query(`UPDATE campaign_recipients SET receiver = '1' WHERE ${key}`),
};
export const TOLD = Object.keys(LIES);

/** Tells all of them. */
export async function tellLies(scene, traffic, known) {
  const query = (sql, values) => scene.pool.query(sql, values);
  const recipients = await recipientsOf(scene.pool, await campaignsSince(scene.pool, known));
  const delivered = recipients.filter(
    ({ status, campaign }) => status === STATUS.Delivered && campaign.channel === 'sms',
  );
  for (const tell of Object.values(LIES)) {
    const recipient = delivered.shift();
    const key = `campaign_id = ${recipient.campaignId} AND seq = ${recipient.seq}`;
    await tell({ scene, traffic, query, recipient, key });
  }
}
