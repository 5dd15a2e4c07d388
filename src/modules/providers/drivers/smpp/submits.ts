import { UrgentFirst } from '../../../../platform/concurrency/index.js';
import type { OutgoingSm } from '../../../../platform/smpp/index.js';

/** What the carrier made of one submit_sm. */
export type SubmitResult =
  /** command status, and the message id when it is 0 */
  | { kind: 'answered'; status: number; messageId: string }
  /** no byte of it was written */
  | { kind: 'unsent' }
  /** written, and no answer came */
  | { kind: 'unknown' };

/** One submit_sm on its way. Moments are of the clock of `performance.now()`. */
export interface Submit extends OutgoingSm {
  urgent: boolean;
  /** called right before it is written, with as many others; what it throws keeps it from being written */
  leaving: ((others?: number) => void) | undefined;
  /** must not be written after this moment: the lease has passed on */
  notAfter: number;
  /** waits for its turn no longer than this */
  queueUntil: number;
  /** when it was written; 0 before */
  writtenAt: number;
  /** under which it was written; 0 before */
  sequence: number;
  done(result: SubmitResult): void;
}

/** What waits until the window and the socket have room for it. */
export class SubmitQueue {
  private readonly waiting = new UrgentFirst<Submit>();

  get length(): number {
    return this.waiting.length;
  }

  push(submit: Submit): void {
    this.waiting.push(submit, submit.urgent);
  }

  /**
   * The next ones, which must be written at once: each has been told that it leaves. Those whose time is over end unsent.
   * @param now on the clock of `performance.now()`
   */
  take(most: number, now: number): Submit[] {
    const next: Submit[] = [];
    while (next.length < most) {
      const submit = this.waiting.shift();
      if (!submit) break;
      if (now < submit.notAfter) next.push(submit);
      else submit.done({ kind: 'unsent' });
    }
    return next.filter((submit, place) => {
      const may = mayLeave(submit, next.length - 1 - place);
      if (!may) submit.done({ kind: 'unsent' });
      return may;
    });
  }

  /** Those that have waited long enough end unsent. */
  turnAway(now: number): void {
    for (const submit of this.waiting.remove(({ queueUntil }) => now >= queueUntil)) submit.done({ kind: 'unsent' });
  }

  /** Nothing that waits will be written. */
  failAll(): void {
    for (const submit of this.waiting.remove(() => true)) submit.done({ kind: 'unsent' });
  }
}

function mayLeave({ leaving }: Submit, others: number): boolean {
  try {
    leaving?.(others);
    return true;
  } catch {
    return false;
  }
}

/**
 * Submits that are written and have no answer yet, by sequence number. They lie in slots that stay where they are: a Map
 * through which everything passes is laid out anew all the time, each layout refers to the one after it, and so V8 took
 * nearly all that had been in flight for old (docs/decisions/0065).
 */
export class Unanswered {
  private readonly slots: (Submit | null)[];
  private readonly mask: number;
  private count = 0;

  /** @param most submits at once */
  constructor(most: number) {
    // Half of them are free at any time, so a sequence number whose slot is free is near.
    const slots = 2 ** Math.ceil(Math.log2(2 * most));
    this.slots = Array.from({ length: slots }, () => null);
    this.mask = slots - 1;
  }

  get size(): number {
    return this.count;
  }

  /** Whether no submit stands where one of this number would: one that is never answered keeps its slot until its time is over. */
  isFree(sequence: number): boolean {
    return this.slots[sequence & this.mask] === null;
  }

  /** @param sequence one that is free */
  add(sequence: number, submit: Submit): void {
    submit.sequence = sequence;
    this.slots[sequence & this.mask] = submit;
    this.count += 1;
  }

  /** The submit of that number, which is answered now; null = there is none. */
  take(sequence: number): Submit | null {
    const at = sequence & this.mask;
    const submit = this.slots[at];
    if (submit?.sequence !== sequence) return null;
    this.slots[at] = null;
    this.count -= 1;
    return submit;
  }

  /** Takes out those that `isOver` says are to go, in no order. */
  remove(isOver: (submit: Submit) => boolean): Submit[] {
    if (this.count === 0) return [];
    const over = this.slots.filter((submit): submit is Submit => submit !== null && isOver(submit));
    for (const { sequence } of over) this.take(sequence);
    return over;
  }
}
