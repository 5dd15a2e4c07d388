import type { ServerResponse } from 'node:http';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Listed, Page } from '../../kernel/lists.js';
import { type ListKind, pageFoot } from './page.js';

/** A reader that takes nothing for this long is closed (reference/delivery-reports#streaming), milliseconds. */
export const READER_PATIENCE_MS = 30_000;

/** What stands around the chunks of a streamed answer. */
export interface TextFrame {
  contentType: string;
  /** further headers, such as Content-Disposition */
  headers?: Readonly<Record<string, string>>;
  before: string;
  after: string;
}

/**
 * Answers 200 with a text that is made chunk by chunk, as `streamChunks` does.
 * @throws as `streamChunks`
 */
export function streamText(
  response: ServerResponse,
  frame: TextFrame,
  chunks: AsyncIterable<string>,
  patienceMs = READER_PATIENCE_MS,
): Promise<void> {
  const headers = { 'Content-Type': frame.contentType, 'Cache-Control': 'no-store', ...frame.headers };
  return streamChunks(response, headers, framed(frame, chunks), patienceMs);
}

async function* framed(
  { before, after }: TextFrame,
  chunks: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let opening = before;
  for await (const chunk of chunks) {
    yield opening + chunk;
    opening = '';
  }
  yield opening + after;
}

/**
 * Answers, with the status that the response has, a body that is made chunk by chunk, in memory of one chunk whatever the
 * size. The next chunk is asked for only when the reader has taken the last one. HEAD gets the headers, and none of the
 * chunks.
 * @throws what making the chunks throws: before the first byte it becomes an ordinary error answer; later the
 * connection is cut as well, so that half an answer never looks like a whole one
 */
export async function streamChunks(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  chunks: AsyncIterable<string | Uint8Array>,
  patienceMs = READER_PATIENCE_MS,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    let next = await iterator.next();
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    // Node's idle time-out sees progress inside a large write, so a slow reader is not taken for a stalled one.
    response.setTimeout(patienceMs, () => response.destroy());
    while (!next.done && response.req.method !== 'HEAD') {
      await write(response, next.value);
      // A reader that is always ready would keep this loop running; others get their turn between chunks.
      await yieldToOthers();
      if (response.destroyed) return;
      next = await iterator.next();
    }
    response.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    await iterator.return?.();
  }
}

/** Resolves when the reader has room again, or is gone. */
function write(response: ServerResponse, chunk: string | Uint8Array): Promise<void> {
  if (response.destroyed || response.write(chunk)) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}

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
