import { setTimeout as sleep } from 'node:timers/promises';

const AGAIN_AFTER_MS = 400;
const AT_ONCE = 50;
const USUAL_DELAY_MS = [20, 300];

/**
 * Receipts that are due. Each is handed over until it is acknowledged, as carriers do; those of one message one after the
 * other, unless a strike wants it otherwise.
 */
export class ReceiptOutbox {
  /** each receipt so many times */
  copies = 1;
  /** those of one message in any order */
  isShuffled = false;
  #isHeld = false;
  #held = [];
  #running = 0;
  #waiting = [];
  #isStopped = false;
  given = 0;

  constructor(seed) {
    this.seed = seed;
  }

  /** How many are not acknowledged yet. */
  get pending() {
    return this.#running + this.#waiting.length + this.#held.length;
  }

  calm() {
    this.copies = 1;
    this.isShuffled = false;
    this.release();
  }

  /** Nothing is handed over until `release`. */
  hold() {
    this.#isHeld = true;
  }

  release() {
    this.#isHeld = false;
    for (const work of this.#held.splice(0)) this.#start(work);
  }

  stop() {
    this.#isStopped = true;
  }

  /**
   * @param {(() => Promise<boolean>)[]} receipts of one message, in their order; each answers whether it was acknowledged
   */
  put(receipts) {
    if (receipts.length === 0) return;
    const copied = receipts.flatMap((receipt) => Array(this.copies).fill(receipt));
    const work = this.isShuffled ? this.seed.shuffle(copied) : copied;
    if (this.#isHeld) this.#held.push(work);
    else this.#start(work);
  }

  #start(work) {
    this.#waiting.push(work);
    this.#next();
  }

  #next() {
    while (this.#running < AT_ONCE && this.#waiting.length > 0) {
      const work = this.#waiting.shift();
      this.#running += 1;
      void this.#give(work).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  async #give(receipts) {
    for (const receipt of receipts) {
      await sleep(this.seed.between(...USUAL_DELAY_MS));
      while (!this.#isStopped && !(await receipt().catch(() => false))) await sleep(AGAIN_AFTER_MS);
      this.given += 1;
    }
  }
}
