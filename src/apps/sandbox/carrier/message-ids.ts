import { newId } from '../../../kernel/ids.js';

/** The carrier's message ids: ascending numbers that begin after those of any earlier run. */
export class MessageIds {
  private last = newId();

  next(): number {
    return ++this.last;
  }
}
