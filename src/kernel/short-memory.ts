interface Entry<Value> {
  value: Promise<Value>;
  until: number;
}

/**
 * Answers of a slow source, kept for a short time. Callers that ask at the same moment share one read; faults are not
 * kept, and neither is what was being read while everything was forgotten. Bounded in size.
 */
export class ShortMemory<Key, Value> {
  private entries = new Map<Key, Entry<Value>>();

  /** @param keptMs how long an answer counts; @param most entries at once, beyond which the oldest goes */
  constructor(
    private readonly keptMs: number,
    private readonly most = 20_000,
  ) {}

  /** The kept answer, or the one that is being read; undefined when there is neither. */
  known(key: Key): Promise<Value> | undefined {
    const entry = this.entries.get(key);
    return entry && entry.until > performance.now() ? entry.value : undefined;
  }

  /** The kept answer, else that of `read`. */
  get(key: Key, read: () => Promise<Value>): Promise<Value> {
    const known = this.known(key);
    if (known) return known;
    const { entries } = this;
    entries.delete(key);
    if (entries.size >= this.most) entries.delete(entries.keys().next().value as Key);
    const entry: Entry<Value> = { value: read(), until: performance.now() + this.keptMs };
    entries.set(key, entry);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.value;
  }

  /** The next question reads again. */
  clear(): void {
    this.entries = new Map();
  }
}
