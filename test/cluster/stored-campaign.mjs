import { contacts } from '../stage/client.mjs';

/** Numbers of recipient statuses, as stored. */
export const PENDING = 0;
export const SUBMITTED = 1;
export const FAILED = 4;
export const UNKNOWN = 9;
const TEXT = '{"message":"Hello"}';

/**
 * A campaign as it stands after its last window, written by SQL: so many recipients in one status.
 * @returns its request id
 */
export async function storeCampaign(pool, { id, accountId, routeId, channel, balance, status, total }) {
  const unsettled = status === FAILED ? 0 : total;
  await pool.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, total_rows, open_lanes, refunded_credits, created_at)
     VALUES (?, ?, ?, ?, 'running', 'bench', 'bench', ?, ?, ?, 1, ?, ?, 0, UTC_TIMESTAMP(3))`,
    [id, accountId, `STORED_${id}`, channel, routeId, TEXT, balance, total, unsettled === 0 ? 0 : 1],
  );
  await pool.query(
    'INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at) VALUES ?',
    [contacts(total).map((receiver, index) => [id, index + 1, receiver, status, 1, new Date()])],
  );
  await pool.query(
    'INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled) VALUES (?, 0, ?, ?, ?)',
    [id, status, total, unsettled],
  );
  return `STORED_${id}`;
}

/** The id of a row by its name. */
export async function idOf(pool, table, column, value) {
  const [rows] = await pool.query('SELECT id FROM ?? WHERE ?? = ?', [table, column, value]);
  return Number(rows[0].id);
}
