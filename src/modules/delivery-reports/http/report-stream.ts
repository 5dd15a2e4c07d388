import type { ServerResponse } from 'node:http';
import { READER_PATIENCE_MS, streamTexts } from '../../../platform/http/index.js';
import type { OpenReport } from '../queries/open-report.query.js';

/** Everything of a report but its records. */
export interface ReportHead<Summary extends object> {
  request_id: string;
  summary: Summary;
  total_rows: number;
  status_counts: Record<string, number>;
}

/** @param summary of the campaign's channel */
export const headOf = <Summary extends object>(
  { campaign, statusCounts }: OpenReport,
  summary: Summary,
): ReportHead<Summary> => ({
  request_id: campaign.requestId,
  summary,
  total_rows: campaign.totalRows,
  status_counts: statusCounts,
});

/**
 * Writes `{ success, request_id, data: { summary, total_rows, status_counts, records } }` chunk by chunk, in memory of
 * one chunk whatever the size.
 * @throws as `streamTexts`
 */
export function streamReport<Summary extends object>(
  response: ServerResponse,
  head: ReportHead<Summary>,
  records: AsyncIterable<string>,
  patienceMs = READER_PATIENCE_MS,
): Promise<void> {
  const { request_id, ...data } = head;
  const opening = JSON.stringify({ success: true, request_id, data }).slice(0, -2);
  return streamTexts(response, { before: `${opening},"records":[`, after: ']}}' }, records, patienceMs);
}
