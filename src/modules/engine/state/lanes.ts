/** A range of recipients, `from` inclusive, `end` exclusive; seq starts at 1. */
export interface LaneRange {
  lane: number;
  from: number;
  end: number;
}

const RECIPIENTS_A_LANE = 2_500;
const MOST_LANES = 8;

/** Lanes of a campaign with so many recipients, and recipients of each but the last. */
function split(total: number): { lanes: number; size: number } {
  const lanes = Math.max(1, Math.min(MOST_LANES, Math.ceil(total / RECIPIENTS_A_LANE)));
  return { lanes, size: Math.max(1, Math.ceil(total / lanes)) };
}

/**
 * Splits a campaign into a few lanes that workers can send side by side.
 * @param groups of recipients by route: the lanes of each have ranges over all recipients, and send their own
 */
export function planLanes(total: number, groups = 1): LaneRange[] {
  const { lanes, size } = split(total);
  const ranges = Array.from({ length: lanes }, (_, lane) => ({
    lane,
    from: 1 + lane * size,
    end: Math.min(total, (lane + 1) * size) + 1,
  })).filter((range) => range.from < range.end);
  return Array.from({ length: groups }, (_, group) =>
    ranges.map((range) => ({ ...range, lane: group * MOST_LANES + range.lane })),
  ).flat();
}

/** The lane of a recipient, as `planLanes` has split the campaign; for good. @param group as in `recipient_terms` */
export const laneOf = (total: number, seq: number, group = 0): number =>
  group * MOST_LANES + Math.floor((seq - 1) / split(total).size);

/** The group of a lane: 0 = those who leave over the campaign's own route. */
export const groupOf = (lane: number): number => Math.floor(lane / MOST_LANES);
