import { UrgentFirst } from '../../../../platform/concurrency/index.js';
import type { OutgoingSm } from '../../../../platform/smpp/index.js';

export type SubmitResult =
  /** command status; the message id when it is 0 */
  | { kind: 'answered'; status: number; messageId: string }
  /** no byte was written */
  | { kind: 'unsent' }
  /** written, but not answered */
  | { kind: 'unknown' };

/** A submit_sm on its way. Times are of the clock of `performance.now()`. */
export interface Submit extends OutgoingSm {
  urgent: boolean;
  /** called right before the write, with the number of others in it; an exception prevents the write */
  leaving: ((others?: number) => void) | undefined;
  /** must not be written later: the lease has passed on */
  notAfter: number;
  queueUntil: number;
  /** 0 = not written */
  writtenAt: number;
  sequence: number;
  done(result: SubmitResult): void;
}

/** Submits waiting for room in the window and the socket. */
export class SubmitQueue {
  private readonly waiting = new UrgentFirst<Submit>();

  get length(): number {
    return this.waiting.length;
  }

  push(submit: Submit): void {
    this.waiting.push(submit, submit.urgent);
  }

  /** The next submits, to be written at once: `leaving` was called for each. Submits past their time end unsent. */
  take(most: number, now: number): Submit[] {
    const next: Submit[] = [];
    while (next.length < most) {
      const submit = this.waiting.shift();
      if (!submit) break;
      if (now < submit.notAfter) next.push(submit);
      else submit.done({ kind: 'unsent' });
    }
    return next.filter((submit, index) => {
      const may = mayLeave(submit, next.length - 1 - index);
      if (!may) submit.done({ kind: 'unsent' });
      return may;
    });
  }

  refuse(now: number): void {
    for (const submit of this.waiting.remove(({ queueUntil }) => now >= queueUntil)) submit.done({ kind: 'unsent' });
  }

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
 * Written submits without an answer, by sequence number. Slots of an array, because a busy Map is laid out anew all the time
 * and V8 then promotes nearly everything in flight (docs/decisions/0065).
 */
export class Unanswered {
  private readonly slots: (Submit | null)[];
  private readonly mask: number;
  private count = 0;

  constructor(most: number) {
    // At least half the slots are free, so a sequence number with a free slot is near.
    const slots = 2 ** Math.ceil(Math.log2(2 * most));
    this.slots = Array.from({ length: slots }, () => null);
    this.mask = slots - 1;
  }

  get size(): number {
    return this.count;
  }

  /** A submit that is never answered keeps its slot until its time is over. */
  isFree(sequence: number): boolean {
    return this.slots[sequence & this.mask] === null;
  }

  /** @param sequence must be free */
  add(sequence: number, submit: Submit): void {
    submit.sequence = sequence;
    this.slots[sequence & this.mask] = submit;
    this.count += 1;
  }

  take(sequence: number): Submit | null {
    const at = sequence & this.mask;
    const submit = this.slots[at];
    if (submit?.sequence !== sequence) return null;
    this.slots[at] = null;
    this.count -= 1;
    return submit;
  }

  remove(isOver: (submit: Submit) => boolean): Submit[] {
    if (this.count === 0) return [];
    const over = this.slots.filter((submit): submit is Submit => submit !== null && isOver(submit));
    for (const { sequence } of over) this.take(sequence);
    return over;
  }
}
