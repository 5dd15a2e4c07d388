import type { ServerResponse } from 'node:http';
import { READER_PATIENCE_MS, streamItems } from '../../../platform/http/index.js';
import type { DeliveryRecord } from '../../engine/index.js';

/** Everything of a report but its records. */
export interface ReportHead<Summary extends object> {
  request_id: string;
  summary: Summary;
  total_rows: number;
  status_counts: Record<string, number>;
}

/**
 * Writes `{ success, request_id, data: { summary, total_rows, status_counts, records } }` chunk by chunk, in memory of
 * one chunk whatever the size.
 * @throws as `streamItems`
 */
export function streamReport<Summary extends object>(
  response: ServerResponse,
  head: ReportHead<Summary>,
  batches: AsyncIterable<readonly DeliveryRecord[]>,
  patienceMs = READER_PATIENCE_MS,
): Promise<void> {
  const { request_id, ...data } = head;
  const opening = JSON.stringify({ success: true, request_id, data }).slice(0, -2);
  return streamItems(response, { before: `${opening},"records":[`, after: ']}}' }, batches, patienceMs);
}
