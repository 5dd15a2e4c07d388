import type { IncomingMessage } from 'node:http';

const LONGEST_BODY = 100 * 1024 * 1024;

/**
 * A request's body, whole (what exceeds 100 MB is left out). By events: an iterator costs several times as much, and every
 * message passes here. Rejects when the other side hangs up.
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LONGEST_BODY) chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}
