import { OPEN, OPEN_LIST, QUOTE, quoteAfter, type Units } from './json-text.js';

/** A hundred thousand recipients with variables are less, whichever way they are written. */
const MOST = 500_000;

/** A text of JSON is more than memory and time are spent on, however short it is. */
export class TooMuchJson extends Error {}

/**
 * Counts what of a JSON text costs more than its length says, before it does: the objects and lists that a parser would
 * make of it, and the items of a list that is looked through. As of a body that is too large in bytes, what lies beyond
 * is not looked at, so that it is refused whether or not it is JSON.
 */
export class JsonLoad {
  private items = 0;
  private opened = 0;

  /** @throws TooMuchJson */
  addItem(): void {
    this.items += 1;
    if (this.items > MOST) throw new TooMuchJson(`more than ${MOST} items`);
  }

  /**
   * Counts the objects and lists that begin between two places, the first of which is in no text.
   * @returns where it has stopped: at the second one, or behind the text in which that stands
   * @throws TooMuchJson
   */
  addParsed(units: Units, from: number, end: number): number {
    let at = from;
    for (; at < end; at++) {
      const unit = units[at];
      if (unit === QUOTE) at = quoteAfter(units, at + 1);
      else if (unit === OPEN || unit === OPEN_LIST) this.opened += 1;
    }
    if (this.opened > MOST) throw new TooMuchJson(`more than ${MOST} objects and lists`);
    return at;
  }
}
