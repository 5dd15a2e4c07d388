import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyErrors } from './request-errors.js';

const KB = 1024;
const SECOND = 1_000;

/** From then on the pace is looked at: connections begin slowly, and pause. */
const GRACE_SECONDS = 10;
/** On average behind that. Files that come more slowly are uploads, which hold nothing up. */
const BYTES_A_SECOND = 256 * KB;

/**
 * The result of `read`, unless the body comes too slowly: then nothing else of it is waited for, and the connection ends with
 * the answer, which lets go what has come.
 * @throws AppError body_too_slow
 */
export async function inPace<T>(
  request: IncomingMessage,
  response: ServerResponse,
  read: () => Promise<T>,
): Promise<T> {
  const { socket } = request;
  const before = socket.bytesRead;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // looks are counted, not the time between them: while the process itself is held up, nothing is read
    let seconds = -GRACE_SECONDS;
    timer = setInterval(() => {
      seconds += 1;
      if (request.complete || socket.bytesRead - before >= seconds * BYTES_A_SECOND) return;
      if (!response.headersSent) response.setHeader('Connection', 'close');
      reject(bodyErrors.tooSlow());
    }, SECOND);
  });
  try {
    return await Promise.race([read(), late]);
  } finally {
    clearInterval(timer);
  }
}
