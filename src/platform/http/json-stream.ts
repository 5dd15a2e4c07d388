import type { ServerResponse } from 'node:http';
import type { Page } from './page.js';
import { READER_PATIENCE_MS, streamText } from './text-stream.js';

/**
 * Answers 200 with JSON around the items of one array, in memory of one batch whatever their number.
 * @param around everything before the first item and after the last
 * @throws as `streamText`: what fails before the first batch is ready becomes an ordinary error answer
 */
export function streamItems(
  response: ServerResponse,
  around: { before: string; after: string },
  batches: AsyncIterable<readonly unknown[]>,
  patienceMs = READER_PATIENCE_MS,
): Promise<void> {
  const frame = { contentType: 'application/json; charset=utf-8', ...around };
  return streamText(response, frame, inJson(batches), patienceMs);
}

/** The answer that `paged` would make, for items that may be large. */
export function streamPage(
  response: ServerResponse,
  { page, limit }: Page,
  { items, total }: { items: AsyncIterable<readonly unknown[]>; total: number },
): Promise<void> {
  const after = `],"page":${page},"limit":${limit},"total":${total}}`;
  return streamItems(response, { before: '{"success":true,"data":[', after }, items);
}

async function* inJson(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string, void, undefined> {
  let separator = '';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield separator + JSON.stringify(batch).slice(1, -1);
    separator = ',';
  }
}
