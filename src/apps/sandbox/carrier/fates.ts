/** What becomes of a message, by the recipient's last three digits (reference/providers#sandbox). */
export type Fate = 'delivered' | 'undeliverable' | 'silent' | 'throttled once' | 'error once' | 'refused';

const FATES: Readonly<Record<string, Fate>> = {
  '404': 'undeliverable',
  '408': 'silent',
  '429': 'throttled once',
  '500': 'error once',
  '603': 'refused',
};

export const fateOf = (to: string): Fate => FATES[to.slice(-3)] ?? 'delivered';

/** Remembers who was turned away once: the next try is taken, the one after it turned away again. */
export class OnceBook {
  private readonly turnedAway = new Set<string>();

  /** @param key one try of one message (part) @returns true for the first of each two tries */
  turnAway(key: string): boolean {
    if (this.turnedAway.delete(key)) return false;
    this.turnedAway.add(key);
    return true;
  }

  clear(): void {
    this.turnedAway.clear();
  }
}
