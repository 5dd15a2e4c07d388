import type { ServerResponse } from 'node:http';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Listed, Page } from '../../kernel/lists.js';
import { type ListKind, pageFoot } from './page.js';

/** Milliseconds after which a stalled reader is closed (reference/delivery-reports#streaming). */
export const READER_PATIENCE_MS = 30_000;

export interface TextFrame {
  contentType: string;
  headers?: Readonly<Record<string, string>>;
  before: string;
  after: string;
}

/** Streams a text with status 200. @throws as `streamChunks` */
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

/** Streams with backpressure. @throws errors of chunks: answered before the first byte, later the connection is closed too */
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
    // Node's idle timeout counts progress within a large write, so a slow reader is not stalled.
    response.setTimeout(patienceMs, () => response.destroy());
    while (!next.done && response.req.method !== 'HEAD') {
      await write(response, next.value);
      // A fast reader would keep this loop running: yield between chunks.
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

/** Resolves when the buffer has room, or the reader is gone. */
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

export interface Around {
  before: string;
  after: string;
}

/** Streams JSON around the items of one array, one batch in memory. @throws as `streamText` */
export const streamItems = (
  response: ServerResponse,
  around: Around,
  batches: AsyncIterable<readonly unknown[]>,
): Promise<void> => streamTexts(response, around, inJson(batches));

/** The same for JSON texts. @param texts comma-separated items; an empty text has none @throws as `streamItems` */
export function streamTexts(
  response: ServerResponse,
  around: Around,
  texts: AsyncIterable<string>,
  patienceMs = READER_PATIENCE_MS,
): Promise<void> {
  const frame = { contentType: 'application/json; charset=utf-8', ...around };
  return streamText(response, frame, separated(texts), patienceMs);
}

/** Streams the answer of `paged`, for large items. */
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
