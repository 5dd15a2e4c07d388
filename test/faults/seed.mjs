import { createHash } from 'node:crypto';

/** Numbers that look random and are the same for the same seed: traffic and the moments of strikes are decided by them. */
export class Seed {
  #state;

  /** @param {...(number | string)} names what it is for; another purpose has other numbers */
  constructor(...names) {
    this.names = names;
    this.#state = createHash('sha256').update(names.join('/')).digest().readUInt32LE(0);
  }

  /** For a purpose of its own, so that what is added elsewhere changes nothing here. */
  of(name) {
    return new Seed(...this.names, name);
  }

  /** From 0 up to 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both among them. */
  between(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  /** One of the names, by its share. @param {Record<string, number>} shares */
  weighted(shares) {
    const entries = Object.entries(shares);
    let left = this.next() * entries.reduce((sum, [, share]) => sum + share, 0);
    for (const [name, share] of entries) {
      left -= share;
      if (left < 0) return name;
    }
    return entries.at(-1)[0];
  }

  shuffle(list) {
    const shuffled = [...list];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.between(0, last);
      [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
    }
    return shuffled;
  }
}
