import type { Submit } from './submit.js';

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
