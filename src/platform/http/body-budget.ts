import { tooMany } from '../security/index.js';

/** When a body that found no room may be sent again. */
const RETRY_SECONDS = 1;

/** Bytes that count for no sharer: a Map through which every request passes keeps dead objects alive (docs/decisions/0065). */
const UNSHARED = 4 * 1024;

/** What one body holds of the memory that all of them share. */
export interface Holding {
  /** Counts bytes that have arrived, or been inflated. @throws AppError too_many when there is no room for them */
  take(bytes: number): void;
  /** Gives all of them back. */
  release(): void;
}

/**
 * How many bytes of bodies a process holds at once: counted as they arrive and never as they are announced, so that a silent
 * connection holds nothing. No account and no network has more than its share.
 */
export class BodyBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  /**
   * @param most bytes of all bodies together
   * @param share bytes of one account or network
   */
  constructor(
    private readonly most: number,
    private readonly share: number,
  ) {}

  /** @param sharers names those whose share it counts for, when it is more than a few kilobytes */
  open(sharers: () => readonly string[]): Holding {
    let size = 0;
    let shared = 0;
    let names: readonly string[] = [];
    return {
      take: (bytes) => {
        size += bytes;
        this.held += bytes;
        let isWithin = this.held <= this.most;
        if (size > UNSHARED) {
          if (shared === 0) names = sharers();
          for (const name of names) isWithin = this.count(name, size - shared) <= this.share && isWithin;
          shared = size;
        }
        if (!isWithin) throw tooMany(RETRY_SECONDS);
      },
      release: () => {
        this.held -= size;
        for (const name of names) this.count(name, -shared);
        size = shared = 0;
      },
    };
  }

  /** @returns what the sharer holds */
  private count(sharer: string, bytes: number): number {
    const held = (this.heldBy.get(sharer) ?? 0) + bytes;
    if (held > 0) this.heldBy.set(sharer, held);
    else this.heldBy.delete(sharer);
    return held;
  }
}
