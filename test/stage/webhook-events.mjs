/** Events as the event outbox writes them: their ids begin with the moment. */
import { randomBytes } from 'node:crypto';

const BATCH = 1_000;
const chance = randomBytes(7).toString('hex');
let serial = 0;

export const eventId = () =>
  `evt_${Date.now().toString(16).padStart(12, '0')}${chance}${(serial++).toString(16).padStart(6, '0')}`;

export const eventBody = (number) =>
  JSON.stringify({
    event: 'gsm.status.update',
    providerMessageId: 'GSMCAMP_20261121_BENCH1',
    receiver: String(919_000_000_000 + number),
    status: 'DELIVERED',
    status_code: 0,
    error_code: null,
    errorMessage: null,
  });

/** Writes events for one endpoint, due at once or, as `later`, in an hour. */
export async function writeEvents(database, { account, endpoint }, total, later = false) {
  for (let start = 0; start < total; start += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, total - start) }, (_, index) => start + index);
    const events = numbers.map((number) => [eventId(), account, 'gsm.status.update', eventBody(number), new Date()]);
    const connection = await database.getConnection();
    try {
      await connection.beginTransaction();
      await connection.query('INSERT INTO webhook_events (id, account_id, type, body, created_at) VALUES ?', [events]);
      await connection.query(
        `INSERT INTO webhook_deliveries (endpoint_id, event_id, due_at, tries, attempts, revision)
         SELECT ?, id, UTC_TIMESTAMP(3) + INTERVAL ? HOUR, 0, 0, 0 FROM webhook_events WHERE id IN (?)`,
        [endpoint, later ? 1 : 0, events.map(([id]) => id)],
      );
      if (!later) await makeDue(connection, endpoint);
      await connection.commit();
    } finally {
      connection.release();
    }
  }
}

/** The endpoint has something due: dispatchers look at it. */
export const makeDue = (source, endpoint) =>
  source.query(
    `UPDATE webhook_endpoints SET next_due_at = UTC_TIMESTAMP(3) WHERE id = ?
       AND (next_due_at IS NULL OR next_due_at > UTC_TIMESTAMP(3) AND lease_until <= UTC_TIMESTAMP(3))`,
    [endpoint],
  );
