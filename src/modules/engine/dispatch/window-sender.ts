import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RouteConnection, SendOutcome } from '../../providers/index.js';
import type { DueRecipient } from '../settle/attempts.js';
import type { Channel, Composed } from '../channel.js';
import { referenceOf } from '../state/recipient-key.js';
import type { LaneTurn } from './lane-store.js';
import type { WindowResult } from '../settle/window-results.js';

const FLUSH_EVERY_MS = 40;
const FLUSH_AT = 250;

/** One window under way. */
export interface Window {
  turn: LaneTurn;
  channel: Channel;
  connection: RouteConnection;
  /** the route drops a second message with the same reference */
  deduplicated: boolean;
  recipients: readonly DueRecipient[];
  /** milliseconds between two messages of a paced route; 0 = as fast as the carrier takes them */
  intervalMs: number;
  /** clock of `performance.now()`: when the lease ends */
  notAfter: () => number;
}

/**
 * Sends a window and hands over results as they come, every few tens of milliseconds, one flush at a time.
 * The last results are returned, not flushed: they are written together with the end of the turn.
 */
export async function sendWindow(
  window: Window,
  flush: (results: WindowResult[]) => Promise<void>,
): Promise<WindowResult[]> {
  let results: WindowResult[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let left = window.recipients.length;
  let running = false;
  const flushNow = (): void => {
    if (running || results.length === 0) return;
    running = true;
    const batch = results;
    results = [];
    flushing = flush(batch)
      .catch(() => {
        // Kept for the last write: a result is never dropped because one write failed.
        results = batch.concat(results);
      })
      .finally(() => {
        running = false;
      });
  };
  const timer = setInterval(flushNow, FLUSH_EVERY_MS);
  const settle = (recipient: DueRecipient, outcome: WindowResult['outcome']): void => {
    results.push({ recipient, outcome, deduplicated: window.deduplicated });
    left -= 1;
    // The rest of a window that is nearly over goes with its end, in one transaction less.
    if (results.length >= FLUSH_AT && left > FLUSH_AT / 2) flushNow();
  };
  try {
    const started = performance.now();
    const sends: Promise<void>[] = [];
    for (const [index, recipient] of window.recipients.entries()) {
      if (window.intervalMs > 0) {
        const wait = started + index * window.intervalMs - performance.now();
        if (wait > 4) await sleep(wait);
      }
      sends.push(send(window, recipient).then((outcome) => settle(recipient, outcome)));
    }
    await Promise.all(sends);
  } finally {
    clearInterval(timer);
  }
  await flushing;
  return results;
}

/** Never rejects: a fault of a driver or a channel spoils one recipient, not the results of the whole window. */
async function send(window: Window, recipient: DueRecipient): Promise<SendOutcome> {
  const notAfter = window.notAfter();
  if (performance.now() >= notAfter) return tooLate;
  const { turn, channel, connection } = window;
  let composed: Composed;
  try {
    composed = channel.compose(turn.content, recipient);
  } catch {
    return { kind: 'rejected', code: null, text: 'Message cannot be composed', submitted: false };
  }
  const ref = referenceOf({ campaignId: turn.campaignId, seq: recipient.seq });
  return connection
    .send({ ref, to: recipient.number, notAfter, ...composed })
    .catch((): SendOutcome => ({ kind: 'unknown' }));
}

/** The lease has passed to another worker: this recipient certainly did not leave through us. */
const tooLate: SendOutcome = { kind: 'unsent', afterMs: 0, text: 'Lease lost' };
