import { COMMA, OPEN, OPEN_LIST, QUOTE, quoteAfter, type Units } from './json-text.js';

/** A hundred thousand recipients with variables are less, whichever way they are written. */
const MOST = 500_000;
/** Texts, numbers and words are less than an object each, and more of them are sent: the numbers of a quote alone are half of these. */
const MOST_VALUES = 1_000_000;

/** Characters of one text: longer than whatever a field takes. */
const LONGEST_TEXT = 1024 * 1024;

/** A text of JSON is more than memory and time are spent on, however short it is. */
export class TooMuchJson extends Error {}

/**
 * Counts what of a JSON text costs more than its length says, before it does: the values that a parser would make of it,
 * objects and lists above all, and the items of a list that is looked through. As of a body that is too large in bytes, what lies beyond
 * is not looked at, so that it is refused whether or not it is JSON.
 */
export class JsonLoad {
  private items = 0;
  private opened = 0;
  /** but for objects and lists with something in them: a comma stands before each but the first */
  private values = 1;

  /** @param most objects and lists that are parsed */
  constructor(private readonly most = MOST) {}

  /** Each item is parsed for itself, if it is: the values of those before are gone by then. @throws TooMuchJson */
  addItem(): void {
    this.values = 1;
    this.items += 1;
    if (this.items > MOST) throw new TooMuchJson(`more than ${MOST} items`);
  }

  /**
   * Counts the values that begin between two places, the first of which is in no text.
   * @returns where it has stopped: at the second one, or behind the text in which that stands
   * @throws TooMuchJson
   */
  addParsed(units: Units, from: number, end: number): number {
    let at = from;
    for (; at < end; at++) {
      const unit = units[at];
      if (unit === QUOTE) {
        const begin = at + 1;
        at = quoteAfter(units, begin);
        if (at - begin > LONGEST_TEXT) throw new TooMuchJson(`a text of more than ${LONGEST_TEXT} characters`);
      } else if (unit === COMMA) this.values += 1;
      else if (unit === OPEN || unit === OPEN_LIST) this.opened += 1;
    }
    if (this.values > MOST_VALUES) throw new TooMuchJson(`more than ${MOST_VALUES} values`);
    if (this.opened > this.most) throw new TooMuchJson(`more than ${this.most} objects and lists`);
    return at;
  }
}
