/** A range of recipients, `from` inclusive, `end` exclusive; seq starts at 1. */
export interface LaneRange {
  lane: number;
  from: number;
  end: number;
}

const RECIPIENTS_A_LANE = 2_500;
const MOST_LANES = 8;

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
