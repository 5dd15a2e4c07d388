import type { ServerResponse } from 'node:http';
import type { Listed, Page } from '../../kernel/lists.js';
import { type ListKind, pageFoot } from './page.js';
import { READER_PATIENCE_MS, streamText } from './text-stream.js';

/** What stands before the first item of a streamed array and behind the last. */
export interface Around {
  before: string;
  after: string;
}

/**
 * Answers 200 with JSON around the items of one array, in memory of one batch whatever their number.
 * @throws as `streamText`: what fails before the first batch is ready becomes an ordinary error answer
 */
export const streamItems = (
  response: ServerResponse,
  around: Around,
  batches: AsyncIterable<readonly unknown[]>,
): Promise<void> => streamTexts(response, around, inJson(batches));

/**
 * The same for items that are JSON already.
 * @param texts items separated by commas; an empty text has none
 * @throws as `streamItems`
 */
export function streamTexts(
  response: ServerResponse,
  around: Around,
  texts: AsyncIterable<string>,
  patienceMs = READER_PATIENCE_MS,
): Promise<void> {
  const frame = { contentType: 'application/json; charset=utf-8', ...around };
  return streamText(response, frame, separated(texts), patienceMs);
}

/** The answer that `paged` would make, for items that may be large. */
export function streamPage(
  response: ServerResponse,
  kind: ListKind,
  page: Page,
  { items, ...rest }: Omit<Listed<never>, 'items'> & { items: AsyncIterable<readonly unknown[]> },
): Promise<void> {
  const after = `],${JSON.stringify(pageFoot(kind, page, rest)).slice(1)}`;
  return streamItems(response, { before: '{"success":true,"data":[', after }, items);
}

async function* inJson(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string, void, undefined> {
  for await (const batch of batches) yield JSON.stringify(batch).slice(1, -1);
}

async function* separated(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let separator = '';
  for await (const text of texts) {
    if (text === '') continue;
    yield separator + text;
    separator = ',';
  }
}
