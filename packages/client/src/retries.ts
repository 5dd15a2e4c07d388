import { SwitchboardError } from './errors.js';

export interface RetryOptions {
  /** further attempts after the first; default 3 */
  retries?: number;
  /** milliseconds for each attempt; default 30,000 */
  timeout?: number;
  /** the longest wait between two attempts, milliseconds; default 60,000. A longer `Retry-After` is not waited for. */
  longestWait?: number;
  fetch?: typeof fetch;
}

const FIRST_WAIT = 250;
const LONGEST_BACKOFF = 8_000;
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
const AGAIN = new Set([429, 502, 503, 504]);
/** Codes of 409: the first attempt, whose answer was lost, still runs. */
const STILL_RUNNING = /"code":"(?:idempotency_key_running|client_ref_running)"/;

/** Requests that may be sent twice although their method says nothing of it: those with a key that this client made. */
export type Repeatable = Pick<WeakSet<Request>, 'has'>;

/**
 * A `fetch` that sends again what may be sent twice, after a time that doubles and is drawn by lot, or that the service
 * asked for.
 */
export function retrying(options: RetryOptions, repeatable: Repeatable): (request: Request) => Promise<Response> {
  const { retries = 3, timeout = 30_000, longestWait = 60_000 } = options;
  const send = options.fetch ?? globalThis.fetch;
  return async (request) => {
    const most = IDEMPOTENT.has(request.method) || repeatable.has(request) ? retries : 0;
    for (let attempt = 0; ; attempt++) {
      const outcome = await attemptOf(send, request, timeout);
      if (attempt >= most || request.signal.aborted || !(await isPassing(outcome))) return answerOf(outcome);
      const wait = waitOf(outcome, attempt);
      if (wait > longestWait) return answerOf(outcome);
      if (outcome instanceof Response) await outcome.body?.cancel();
      await pause(wait, request.signal);
    }
  };
}

type Outcome = Response | SwitchboardError;

async function attemptOf(send: typeof fetch, request: Request, timeout: number): Promise<Outcome> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeout)]);
  try {
    return await send(new Request(request.clone(), { signal }));
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
    const message = isLate ? `No answer within ${timeout} ms` : 'The service could not be reached';
    return new SwitchboardError(0, { message, code: isLate ? 'timeout' : 'network' }, undefined, { cause });
  }
}

function answerOf(outcome: Outcome): Response {
  if (outcome instanceof Response) return outcome;
  throw outcome;
}

async function isPassing(outcome: Outcome): Promise<boolean> {
  if (!(outcome instanceof Response)) return true;
  if (outcome.status !== 409) return AGAIN.has(outcome.status);
  return STILL_RUNNING.test(await outcome.clone().text());
}

/** Milliseconds: what the service asks for, else up to twice as many as the time before. */
function waitOf(outcome: Outcome, attempt: number): number {
  const asked = outcome instanceof Response ? outcome.headers.get('retry-after') : null;
  if (asked !== null && asked !== '') {
    const seconds = Number(asked);
    const wait = Number.isNaN(seconds) ? Date.parse(asked) - Date.now() : seconds * 1000;
    if (!Number.isNaN(wait)) return Math.max(0, wait);
  }
  return Math.random() * Math.min(LONGEST_BACKOFF, FIRST_WAIT * 2 ** attempt);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}
