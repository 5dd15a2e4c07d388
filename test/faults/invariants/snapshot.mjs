/** Numbers of recipient statuses, as stored. */
export const STATUS = {
  ...{ Pending: 0, Submitted: 1, Delivered: 2, Read: 3, Failed: 4, Cancelled: 5 },
  ...{ Answered: 6, NoAnswer: 7, Busy: 8, Unknown: 9, Retrying: 10 },
};
const FINAL = new Set([STATUS.Delivered, STATUS.Read, STATUS.Failed, STATUS.Cancelled, STATUS.Answered, STATUS.NoAnswer, STATUS.Busy]); // prettier-ignore
export const isFinal = (status) => FINAL.has(status);

/** Campaigns of one strike: those that were not there before. Ids first: after forty strikes there are tens of thousands. */
export async function campaignsSince(pool, known) {
  const [all] = await pool.query({ sql: 'SELECT id FROM campaigns', rowsAsArray: true });
  const ids = all.flat().filter((id) => !known.has(id));
  if (ids.length === 0) return [];
  const [rows] = await pool.query(
    `SELECT c.id, c.request_id AS requestId, a.username AS account, c.channel, c.state, c.broadcast_name AS name, c.balance,
       c.unit_credits AS unitCredits, c.charged_credits AS charged, c.total_rows AS total, c.retry_of AS retryOf
     FROM campaigns c JOIN accounts a ON a.id = c.account_id WHERE c.id IN (?)`,
    [ids],
  );
  return rows;
}

export async function recipientsOf(pool, campaigns) {
  if (campaigns.length === 0) return [];
  const byId = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
  const [rows] = await pool.query(
    `SELECT r.campaign_id AS campaignId, r.seq, r.receiver AS number, r.status, r.attempts, r.error_message AS error,
       r.refunded, r.outcome_unknown AS flagged, t.credits
     FROM campaign_recipients r LEFT JOIN recipient_terms t ON t.campaign_id = r.campaign_id AND t.seq = r.seq
     WHERE r.campaign_id IN (?)`,
    [[...byId.keys()]],
  );
  return rows.map((row) => ({ ...row, campaign: byId.get(row.campaignId) }));
}

/** Session messages to the numbers of one strike. `waits`: for its time of the next day, as that of today had passed when it was asked for. */
export async function sessionsOf(pool, numberPrefix) {
  const [sessions] = await pool.query(
    `SELECT id AS messageId, receiver AS number, status, error_message AS error, provider_message_id AS id,
       status = ${STATUS.Pending} AND COALESCE(due_at > UTC_TIMESTAMP() + INTERVAL 1 HOUR, FALSE) AS waits
     FROM session_messages WHERE receiver LIKE ?`,
    [`${numberPrefix}%`],
  );
  return sessions;
}

export async function balancesOf(pool) {
  const [balances] = await pool.query(
    'SELECT a.username AS account, b.balance, b.available FROM credit_balances b JOIN accounts a ON a.id = b.account_id',
  );
  return balances;
}

/** What campaigns have cost and given back since the beginning, and what the ledger says of campaigns that are not there. */
async function spendingOf(pool) {
  const [spent] = await pool.query(
    `SELECT a.username AS account, c.balance, SUM(c.charged_credits) AS charged, SUM(c.refunded_credits) AS refunded
     FROM campaigns c JOIN accounts a ON a.id = c.account_id GROUP BY 1, 2`,
  );
  const [strays] = await pool.query(
    `SELECT l.request_id AS requestId, l.kind, l.amount FROM credit_ledger l
     LEFT JOIN campaigns c ON c.account_id = l.account_id AND c.request_id = l.request_id
     WHERE l.kind IN ('debit', 'refund') AND c.id IS NULL`,
  );
  return { spent, strays };
}

/** All of one strike that the database knows. */
export async function snapshot(pool, known, numberPrefix) {
  const campaigns = await campaignsSince(pool, known);
  const sessions = await sessionsOf(pool, numberPrefix);
  const [ledger] = await pool.query(
    `SELECT a.username AS account, l.balance, l.kind, l.request_id AS requestId, COUNT(*) AS entries, SUM(l.amount) AS amount
     FROM credit_ledger l JOIN accounts a ON a.id = l.account_id GROUP BY 1, 2, 3, 4`,
  );
  const balances = await balancesOf(pool);
  const ids = campaigns.map(({ id }) => id);
  const [counters] = ids.length === 0 ? [[]] : await pool.query(
    'SELECT campaign_id AS campaignId, status, SUM(recipients) AS recipients FROM campaign_counters WHERE campaign_id IN (?) GROUP BY 1, 2',
    [ids],
  ); // prettier-ignore
  const recipients = await recipientsOf(pool, campaigns);
  return { campaigns, recipients, sessions, ledger, balances, counters, ...(await spendingOf(pool)) };
}
