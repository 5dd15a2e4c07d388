import { UrgentFirst } from '../../../../platform/concurrency/index.js';
import type { Submit } from './submit.js';

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
