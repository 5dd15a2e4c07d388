import type { DataSource } from 'typeorm';
import { newId } from '../../src/kernel/ids.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import type { Member } from './sms.js';

/** When such a campaign was accepted. */
export const STORED_AT = new Date('2026-05-01T20:00:00.000Z');

/** What a test wants otherwise. */
export interface StoredDetails {
  channel?: string;
  scheduledAt?: Date;
  owner?: Member;
  name?: string;
  errorMessage?: string;
}

let count = 0;

/** A campaign written by SQL, with recipients of the given statuses in turn. */
export async function storeCampaign(
  dataSource: DataSource,
  owner: Member,
  total: number,
  statuses: readonly RecipientStatus[],
  details: StoredDetails = {},
): Promise<string> {
  const id = newId();
  const requestId = `report-${process.pid}-${++count}`;
  await dataSource.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content,
       balance, unit_credits, charged_credits, total_rows, open_lanes, refunded_credits, scheduled_at, created_at)
     VALUES (?, ?, ?, ?, 'running', ?, 'main', 1, '{"message":"Hello"}', 'gsm_credits', 2, ?, ?, 1, 0, ?, ?)`,
    [
      id,
      owner.account.id,
      requestId,
      details.channel ?? 'sms',
      details.name ?? 'Spring',
      2 * total,
      total,
      details.scheduledAt ?? null,
      STORED_AT,
    ],
  );
  const rows = Array.from({ length: total }, (_, index) => {
    const status = statuses[index % statuses.length] ?? RecipientStatus.Pending;
    const failed = status === RecipientStatus.Failed;
    const fault = failed ? [8, details.errorMessage ?? 'Absent "subscriber"'] : [null, null];
    return [id, index + 1, String(919_800_000_000 + index), status, 1, ...fault];
  });
  for (let from = 0; from < rows.length; from += 5_000) {
    const part = rows.slice(from, from + 5_000);
    await dataSource.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, error_code, error_message, updated_at)
       VALUES ${part.map(() => '(?,?,?,?,?,?,?,NOW())').join(',')}`,
      part.flat(),
    );
  }
  await dataSource.query(
    `INSERT INTO campaign_counters (campaign_id, lane, status, recipients)
     SELECT campaign_id, 0, status, COUNT(*) FROM campaign_recipients WHERE campaign_id = ? GROUP BY status`,
    [id],
  );
  // A status that emptied again leaves a zero behind.
  await dataSource.query('INSERT IGNORE INTO campaign_counters VALUES (?, 0, ?, 0, 0)', [
    id,
    RecipientStatus.Cancelled,
  ]);
  return requestId;
}
