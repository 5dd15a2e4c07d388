import { ReceiptOutbox } from './receipt-outbox.mjs';

/** What a carrier does with a number, by its last two digits; with all others it delivers. */
export const OUTCOME_BY_ENDING = {
  '03': 'refused',
  '04': 'undeliverable',
  '08': 'silent',
  29: 'throttled once',
  50: 'fault once',
  80: 'no answer',
};
export const faultOutcome = (number) => OUTCOME_BY_ENDING[number.slice(-2)] ?? 'delivered';

/** Answers that a carrier gives to a message; the first two take it. */
export const ANSWERS = ['taken', 'taken, answered 502', 'taken, no answer', 'refused', 'throttled', 'fault'];
export const isTaken = (answer) => answer.startsWith('taken');
/** Words of receipts after which no other comes that counts. */
const FINAL_WORDS = new Set(['DELIVRD', 'UNDELIV', 'delivered', 'read', 'failed', 'completed', 'no-answer']);
/** True when the service has acknowledged the last word on everything that came to a number. */
export function isTold(entries) {
  const taken = entries.filter(({ answer }) => isTaken(answer));
  return taken.length > 0 && taken.every(({ told }) => FINAL_WORDS.has(told));
}
/** What all carriers have of a number. */
export const entriesAt = (carriers) => (number) => Object.values(carriers).flatMap((carrier) => carrier.entriesOf(number)); // prettier-ignore

/**
 * What every carrier of a test has: a ledger of whatever came, with the moment, that knows nothing of the service; moods that
 * a strike puts it into; and an outbox of receipts that goes on until they are acknowledged.
 */
export class Carrier {
  /** `{ number, item, ref, id, at, answer }`, in the order in which they came */
  ledger = [];
  /** (number) => one of ANSWERS, or undefined for the usual one: set by a strike */
  mood = () => undefined;
  /** receipts leave before the answer does */
  receiptsComeEarly = false;
  #byNumber = new Map();
  #askedBefore = new Set();
  #references = new Map();
  #count = 0;

  /** @param {import('../seed.mjs').Seed} seed @param {{ name: string, deduplicates?: boolean }} what */
  constructor(seed, { name, deduplicates = false }) {
    Object.assign(this, { seed, name, deduplicates });
    this.outbox = new ReceiptOutbox(seed.of('receipts'));
  }

  /** An id that is no neighbour of another. */
  newId() {
    return `${this.name[0]}${(++this.#count).toString(16).padStart(6, '0')}${Math.floor(this.seed.next() * 2 ** 32).toString(16)}`;
  }

  /**
   * Writes a message down. @param {{ number: string, item?: string, ref?: string | null }} message item: which part of what goes
   * to this number @returns the entry, with the answer that is due
   */
  take({ number, item = 'text', ref = null }) {
    const known = this.deduplicates && ref !== null ? this.#references.get(ref) : undefined;
    if (known) {
      known.repeats = (known.repeats ?? 0) + 1;
      return { ...known, isRepeat: true };
    }
    const entry = { number, item, ref, id: this.newId(), at: Date.now(), answer: this.#answerTo(number, item) };
    this.ledger.push(entry);
    if (!this.#byNumber.has(number)) this.#byNumber.set(number, []);
    this.#byNumber.get(number).push(entry);
    if (isTaken(entry.answer) && this.deduplicates && ref !== null) this.#references.set(ref, entry);
    return entry;
  }

  /** What came to a number. */
  entriesOf(number) {
    return this.#byNumber.get(number) ?? [];
  }

  #answerTo(number, item) {
    const fate = faultOutcome(number);
    const isFirst = !this.#askedBefore.has(number);
    this.#askedBefore.add(number);
    const mood = this.mood(number, item);
    if (mood !== undefined) return mood;
    if (fate === 'refused') return 'refused';
    if (fate === 'throttled once' && isFirst) return 'throttled';
    if (fate === 'fault once' && isFirst) return 'fault';
    return 'taken';
  }

  /**
   * Reports a message. Its entry keeps as `told` what was acknowledged last.
   * @param {string[]} words in their order @param {(word: string) => Promise<boolean>} deliver whether it was acknowledged
   */
  async report(entry, words, deliver) {
    const tell = async (word) => {
      const isAcknowledged = await deliver(word);
      if (isAcknowledged) entry.told = word;
      return isAcknowledged;
    };
    if (this.receiptsComeEarly && words.length > 0) await tell(words[0]).catch(() => false);
    this.outbox.put(words.map((word) => () => tell(word)));
  }

  /** As it was before a strike. */
  calm() {
    this.mood = () => undefined;
    this.receiptsComeEarly = false;
    this.outbox.calm();
  }
}
