import { boundedCache } from '../../../platform/caches/index.js';

/** How many had still to leave at a moment. */
interface Point {
  at: number;
  left: number;
}

const MOST_CAMPAIGNS = 10_000;
const MOST_POINTS = 32;
const KEPT_MS = 60_000;
/** A shorter time says more about windows than about the pace. */
const SHORTEST_MS = 5_000;

/**
 * What this process has seen of campaigns that are looked at, for the pace of the last minute: nothing is stored and nothing
 * asked for it, and a pause or a night before the schedule does not count as slow sending.
 */
export class PaceMemory {
  private readonly points = boundedCache<number, Point[]>(MOST_CAMPAIGNS, { ttlMs: 2 * KEPT_MS });

  /**
   * Notes how many have still to leave.
   * @param at milliseconds
   * @returns messages a second since the oldest look of the last minute; null = not known yet
   */
  note(campaignId: number, left: number, at: number): number | null {
    const fresh = (this.points.get(campaignId) ?? []).filter((point) => at - point.at <= KEPT_MS && point.at <= at);
    const [oldest] = fresh;
    const last = fresh.at(-1);
    if (!last || at - last.at >= KEPT_MS / MOST_POINTS) fresh.push({ at, left });
    this.points.set(campaignId, fresh);
    if (!oldest || at - oldest.at < SHORTEST_MS) return null;
    return Math.max(0, oldest.left - left) / ((at - oldest.at) / 1_000);
  }

  /** It stands still: what comes after is another pace. */
  forget(campaignId: number): void {
    this.points.delete(campaignId);
  }
}
