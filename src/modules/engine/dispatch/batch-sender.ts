import { performance } from 'node:perf_hooks';
import { Beat } from '../../../platform/concurrency/index.js';
import { isPassing } from '../../../platform/database/index.js';
import type { RouteConnection, SendOutcome } from '../../providers/index.js';
import type { DueRecipient } from '../attempts.js';
import { type Channel, type Composed, type Content, itemsOf } from '../channel.js';
import type { LaneSnapshot } from '../lanes.js';
import { referenceOf } from '../recipient.js';
import { gotThrough, type BatchResult } from '../settle/recipient-change.js';
import type { Pacer } from './pacing.js';
import type { SubmitLog } from './submit-log.js';

/** Whether nothing of the lane got through for the receipt timeout (ms). */
export const isOverdue = ({ stalledMs }: LaneSnapshot, receiptTimeoutMs: number): boolean =>
  stalledMs !== null && stalledMs >= receiptTimeoutMs;

/** The deadline passed before the message could be sent. @param fault the reason */
export const notInTime = (fault: string): SendOutcome => ({
  kind: 'rejected',
  code: null,
  text: `Not sent in time: ${fault}`,
  submitted: false,
});

/** The validity ended before the message was sent (reference/sender-ids#validity). */
export const EXPIRED = {
  ...{ kind: 'rejected', code: null, text: 'Validity expired', submitted: false },
} as const satisfies SendOutcome;

/** Remaining validity, ms. */
export const validityLeft = ({ waitingSince }: LaneSnapshot, validitySeconds: number): number =>
  validitySeconds * 1_000 - (performance.now() - waitingSince);

export function hasExpired({ validitySeconds }: Channel, lane: LaneSnapshot): boolean {
  const validity = validitySeconds?.(lane.content);
  return validity !== undefined && validityLeft(lane, validity) <= 0;
}

/** If a carrier only throttles until the deadline, the recipients fail. */
export function conclude(results: readonly BatchResult[], receiptTimeoutMs: number): readonly BatchResult[] {
  if (!results.some(({ recipient }) => isOverdue(recipient.lane, receiptTimeoutMs))) return results;
  const moving = new Set(results.flatMap(({ recipient, outcome }) => (gotThrough(outcome) ? [recipient.lane] : [])));
  return results.map((result) => {
    const { recipient, outcome } = result;
    const ends = isOverdue(recipient.lane, receiptTimeoutMs) && !moving.has(recipient.lane);
    return ends && outcome.kind === 'retry' && outcome.throttled
      ? { recipient, outcome: notInTime(outcome.text) }
      : result;
  });
}

const BEAT_MS = 40;
/** Batches of all routes flush at the same moments, so that they share transactions. */
const FLUSHES = new Beat(BEAT_MS);

/** Whether the route's slots are so far apart that the end of a batch can wait for the next beat. */
export const isPatient = (perSecond: number | null): boolean => perSecond !== null && perSecond <= 1_000 / BEAT_MS;

export interface Batch {
  channel: Channel;
  connection: RouteConnection;
  deduplicated: boolean;
  opened: (content: Content) => Content;
  recipients: readonly DueRecipient[];
  log: SubmitLog;
  urgent: boolean;
  pacer: Pacer | null;
  isPatient: boolean;
  notAfter: () => number;
  /** asked until the message leaves: what keeps it back from now on; null = nothing */
  heldOutcome: (recipient: DueRecipient) => BatchResult['outcome'] | null;
}

/** Sends a batch and flushes results on each beat. Returns the last results, to be written with the end of the lanes. */
export async function submitBatch(
  batch: Batch,
  flush: (results: BatchResult[]) => Promise<void>,
): Promise<BatchResult[]> {
  let results: BatchResult[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let left = batch.recipients.length;
  let isAwaited = false;
  let isRefused = false;
  let allSettled = (): void => undefined;
  const flushNow = (): void => {
    if (left === 0) return;
    const flushed = results;
    results = [];
    flushing = flush(flushed)
      .catch((error: unknown) => {
        // Kept for the last write: one failed write must not drop results.
        results = flushed.concat(results);
        isRefused = !isPassing(error);
      })
      .finally(() => {
        isAwaited = false;
        flushSoon();
      });
  };
  const flushSoon = (): void => {
    if (isAwaited || isRefused || left === 0 || results.length === 0) return;
    isAwaited = true;
    void FLUSHES.nextBeat().then(flushNow);
  };
  const settle = (recipient: DueRecipient, outcome: BatchResult['outcome']): void => {
    results.push({ recipient, outcome, deduplicated: batch.deduplicated });
    left -= 1;
    if (left === 0) allSettled();
    else flushSoon();
  };
  batch.pacer?.expect(left);
  batch.log.begin(batch.recipients);
  for (const [index, recipient] of batch.recipients.entries()) {
    const composed = compose(batch, recipient);
    if (batch.pacer) await batch.pacer.slot(composed ? itemsOf(composed) : 0, batch.urgent);
    void send(batch, recipient, index, composed).then((outcome) => {
      // behind its lease another worker may have sent it
      const isHeld = outcome.kind === 'unsent' && performance.now() < batch.notAfter();
      settle(recipient, (isHeld && batch.heldOutcome(recipient)) || outcome);
    });
  }
  if (left > 0) await new Promise<void>((resolve) => (allSettled = resolve));
  if (batch.isPatient && results.length > 0) await FLUSHES.nextBeat();
  await flushing;
  return results;
}

/** @returns null if the channel cannot compose the message */
function compose({ channel, opened }: Batch, recipient: DueRecipient): Composed | null {
  try {
    return channel.compose(opened(recipient.lane.content), recipient);
  } catch {
    return null;
  }
}

/** Never rejects: a fault of a driver or channel fails one recipient, not the batch. */
function send(batch: Batch, recipient: DueRecipient, index: number, composed: Composed | null): Promise<SendOutcome> {
  const notAfter = batch.notAfter();
  if (performance.now() >= notAfter || batch.heldOutcome(recipient)) return tooLate;
  if (!composed) return notComposed;
  const { connection, log, urgent } = batch;
  const { validitySeconds: validity, ...message } = composed;
  const leftMs = validity === undefined ? null : validityLeft(recipient.lane, validity);
  if (leftMs !== null && leftMs <= 0) return expired;
  const validitySeconds = leftMs === null ? undefined : Math.ceil(leftMs / 1_000);
  const hasStopped = (): boolean => batch.heldOutcome(recipient) !== null;
  const leaving = (others?: number): void => {
    if (hasStopped()) throw new Error('Held back');
    log.leaving(index, others);
  };
  const ref = referenceOf({ campaignId: recipient.lane.campaignId, seq: recipient.seq });
  const sent = connection.send({
    ref,
    to: recipient.number,
    sender: recipient.sender,
    urgent,
    again: recipient.made !== undefined,
    leaving,
    hasStopped,
    notAfter,
    ...message,
    ...(validitySeconds && { validitySeconds }),
  });
  const shown = 'sealed' in recipient.lane.content ? sent.then(withoutDigits) : sent;
  return shown.catch((): SendOutcome => ({ kind: 'unknown' }));
}

/** A carrier may repeat the text of a refused message, and its words are stored. */
const withoutDigits = (outcome: SendOutcome): SendOutcome =>
  'text' in outcome ? { ...outcome, text: outcome.text.replace(/\d{4,}/g, '****') } : outcome;

const notComposed = Promise.resolve<SendOutcome>({
  ...{ kind: 'rejected', code: null, text: 'Message cannot be composed', submitted: false },
});

const expired = Promise.resolve<SendOutcome>(EXPIRED);

/** The lease may belong to another worker: this recipient was certainly not sent here. */
const tooLate = Promise.resolve<SendOutcome>({ kind: 'unsent', afterMs: 0, text: 'Lease lost' });
