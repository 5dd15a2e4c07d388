import type { IncomingMessage } from 'node:http';
import { bodyErrors } from './request-errors.js';

const KB = 1024;
const SECOND = 1_000;

/** From then on the pace is looked at: connections begin slowly, and pause. */
const GRACE_SECONDS = 10;

/** How fast a body has to come. */
export interface Pace {
  /** on average, after ten seconds */
  bytesASecond: number;
  /** the longest that it may take in all; none: as long as any request */
  mostSeconds?: number;
}

export const KNOWN_PACE: Pace = { bytesASecond: 16 * KB };
export const ANONYMOUS_PACE: Pace = { bytesASecond: 16 * KB, mostSeconds: 30 };
/** Others wait for it. What comes more slowly may come as a file, which holds nothing up. */
export const LARGE_PACE: Pace = { bytesASecond: 256 * KB };

/**
 * The result of `read`, unless the body comes too slowly: then nothing else of it is waited for, and the connection ends with
 * the answer.
 * @param read ends when it is told to
 * @throws AppError body_too_slow
 */
export async function inPace<T>(
  request: IncomingMessage,
  { bytesASecond, mostSeconds = Infinity }: Pace,
  read: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  if (request.complete) return read();
  const { socket } = request;
  const before = socket.bytesRead;
  const late = new AbortController();
  let seconds = 0;
  // looks are counted, not the time between them: while the process itself is held up, nothing is read
  const timer = setInterval(() => {
    // the sender is not waited for while something that it has sent waits
    if (request.complete || request.readableLength > 0) return;
    seconds += 1;
    if (seconds <= GRACE_SECONDS) return;
    const due = (seconds - GRACE_SECONDS) * bytesASecond;
    if (seconds > mostSeconds || socket.bytesRead - before < due) late.abort(bodyErrors.tooSlow());
  }, SECOND);
  try {
    return await read(late.signal);
  } finally {
    clearInterval(timer);
  }
}

/** Ends when the signal does, with its reason: for a reader that cannot be told to end. */
export const brokenOff = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
