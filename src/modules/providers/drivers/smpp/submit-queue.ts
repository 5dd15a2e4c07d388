import type { DataCoding } from '../../../../platform/smpp/index.js';

/** What the carrier made of one submit_sm. */
export type SubmitResult =
  /** command status, and the message id when it is 0 */
  | { kind: 'answered'; status: number; messageId: string }
  /** no byte of it was written */
  | { kind: 'unsent' }
  /** written, and no answer came */
  | { kind: 'unknown' };

/** One submit_sm on its way. Moments are of the clock of `performance.now()`. */
export interface Submit {
  to: string;
  body: Buffer;
  dataCoding: DataCoding;
  /** of a concatenated message */
  reference: number | null;
  /** must not be written after this moment: the lease has passed on */
  notAfter: number;
  /** waits for its turn no longer than this */
  queueUntil: number;
  /** when it was written; 0 before */
  writtenAt: number;
  done(result: SubmitResult): void;
}

const COMPACT_AT = 1_024;

/** First in, first out, without moving what waits. */
export class SubmitQueue {
  private items: Submit[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(submit: Submit): void {
    this.items.push(submit);
  }

  peek(): Submit | undefined {
    return this.items[this.head];
  }

  shift(): Submit | undefined {
    const submit = this.items[this.head];
    if (!submit) return undefined;
    this.head += 1;
    if (this.head === this.items.length) {
      this.items = [];
      this.head = 0;
    } else if (this.head >= COMPACT_AT) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return submit;
  }

  /** Nothing that waits will be written. */
  failAll(): void {
    for (let submit = this.shift(); submit; submit = this.shift()) submit.done({ kind: 'unsent' });
  }
}
