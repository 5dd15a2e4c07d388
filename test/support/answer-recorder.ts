import { appendFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { ApiContract } from './api-contract.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** where the integration tests write which answers they saw; the other projects record nothing */
    answersDirectory?: string;
  }
}

/** One line of a record: a documented answer that was seen, or what was wrong with an answer. */
export type AnswerRecord = { seen: string } | { fault: string; test: string };

/** Larger bodies (long reports) are checked by their status alone. */
const MAX_BODY_BYTES = 256 * 1024;

let contract: ApiContract | undefined;
const written = new Set<string>();

/** Notes every answer of an API that is under test, for `answers-check.ts` to compare with the document. */
export function recordAnswers(server: Server): void {
  const directory = inject('answersDirectory');
  if (directory === undefined) return;
  const checker = (contract ??= ApiContract.read());
  const write = (record: AnswerRecord): void => {
    const line = JSON.stringify(record);
    if (written.has(line)) return;
    written.add(line);
    appendFileSync(join(directory, `${process.pid}.ndjson`), `${line}\n`);
  };
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request;
    const chunks = keepBody(response);
    response.once('finish', () => {
      const type = response.getHeader('content-type');
      const body = Buffer.concat(chunks);
      const answer = {
        method,
        path: url.split('?')[0] ?? '',
        status: response.statusCode,
        contentType: typeof type === 'string' ? type : undefined,
        body: body.length === 0 || body.length > MAX_BODY_BYTES ? null : body.toString(),
      };
      for (const operation of checker.answered(answer)) write({ seen: `${operation.name} ${answer.status}` });
      const fault = checker.fault(answer);
      if (fault !== null) write({ fault, test: expect.getState().testPath ?? '' });
    });
  });
}

/** The chunks of a body that is JSON, up to the limit; they come as the answer is written. */
function keepBody(response: ServerResponse): Buffer[] {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const keep = (chunk: unknown): void => {
    if (bytes > MAX_BODY_BYTES || !String(response.getHeader('content-type')).startsWith('application/json')) return;
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const copy = Buffer.from(chunk);
    bytes += copy.length;
    chunks.push(copy);
  };
  for (const name of ['write', 'end'] as const) {
    const original = response[name].bind(response) as (...parameters: unknown[]) => unknown;
    Object.assign(response, {
      [name]: (...parameters: unknown[]) => {
        keep(parameters[0]);
        return original(...parameters);
      },
    });
  }
  return chunks;
}
