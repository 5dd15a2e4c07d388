import type { ServerResponse } from 'node:http';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { DeliveryRecord } from '../delivery-record.js';

/** Everything of a report but its records. */
export interface ReportHead<Summary extends object> {
  request_id: string;
  summary: Summary;
  total_rows: number;
  status_counts: Record<string, number>;
}

/** A reader that takes nothing for this long is closed (decisions §7), milliseconds. */
export const READER_PATIENCE_MS = 30_000;

/**
 * Writes `{ success, request_id, data: { summary, total_rows, status_counts, records } }` chunk by chunk, in memory of
 * one chunk whatever the size. The next chunk is read only when the reader has taken the last one.
 * @throws what reading the records throws: before the first byte it becomes an ordinary error answer; later the
 * connection is cut as well, so that half a report never looks like a whole one
 */
export async function streamReport<Summary extends object>(
  response: ServerResponse,
  head: ReportHead<Summary>,
  batches: AsyncIterable<readonly DeliveryRecord[]>,
  patienceMs = READER_PATIENCE_MS,
): Promise<void> {
  const iterator = batches[Symbol.asyncIterator]();
  try {
    let next = await iterator.next();
    begin(response, head, patienceMs);
    for (let separator = ''; !next.done && response.req.method !== 'HEAD'; separator = ',') {
      await write(response, separator + JSON.stringify(next.value).slice(1, -1));
      // A reader that is always ready would keep this loop running; others get their turn between chunks.
      await yieldToOthers();
      if (response.destroyed) return;
      next = await iterator.next();
    }
    response.end(']}}');
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    await iterator.return?.();
  }
}

function begin<Summary extends object>(response: ServerResponse, head: ReportHead<Summary>, patienceMs: number): void {
  const { request_id, ...data } = head;
  response.statusCode = 200;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  // Node's idle time-out sees progress inside a large write, so a slow reader is not taken for a stalled one.
  response.setTimeout(patienceMs, () => response.destroy());
  response.write(`${JSON.stringify({ success: true, request_id, data }).slice(0, -2)},"records":[`);
}

/** Resolves when the reader has room again, or is gone. */
function write(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}
