/** A range of recipients, `from` inclusive, `end` exclusive; seq starts at 1. */
export interface LaneRange {
  lane: number;
  from: number;
  end: number;
}

const RECIPIENTS_A_LANE = 2_500;
const MOST_LANES = 8;

/** Most recipients of one window: what a killed worker can leave of unknown outcome, at the most, per lane. */
export const WINDOW_RECIPIENTS = 500;

/** Splits a campaign into a few lanes that workers can send side by side. */
export function planLanes(total: number): LaneRange[] {
  const lanes = Math.max(1, Math.min(MOST_LANES, Math.ceil(total / RECIPIENTS_A_LANE)));
  const size = Math.ceil(total / lanes);
  return Array.from({ length: lanes }, (_, lane) => ({
    lane,
    from: 1 + lane * size,
    end: Math.min(total, (lane + 1) * size) + 1,
  })).filter((range) => range.from < range.end);
}

/** The lane of a recipient, as `planLanes` has split the campaign. */
export const laneOf = (total: number, seq: number): number => planLanes(total).find(({ end }) => seq < end)?.lane ?? 0;

/**
 * At most one second of the route's rate (reference/engine#windows), so that pause and cancel act within two seconds.
 */
export const windowSize = (messagesPerSecond: number | null): number =>
  messagesPerSecond === null
    ? WINDOW_RECIPIENTS
    : Math.max(1, Math.min(WINDOW_RECIPIENTS, Math.floor(messagesPerSecond)));

/** Temporary faults of the carrier: five tries, then the carrier's own number and text stand. Throttling does not count. */
export const MOST_ATTEMPTS = 5;

/** Milliseconds until the next try: what the carrier asked for, else 1 s doubling to 60 s, with jitter. */
export const retryDelay = (attempt: number, askedMs: number): number =>
  Math.max(askedMs, Math.min(60_000, 1_000 * 2 ** Math.max(0, attempt - 1)) * (0.8 + Math.random() * 0.4));
