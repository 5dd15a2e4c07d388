/** A range of recipients, `from` inclusive, `end` exclusive; seq starts at 1. */
export interface LaneRange {
  lane: number;
  from: number;
  end: number;
}

/** A lane of a new campaign: of the recipients in its range it sends to those of its group, over one route. */
export interface PlannedLane extends LaneRange {
  /** 0 = the campaign's own chain of routes; the others one a further chain (`recipient_terms.lane_group`) */
  group: number;
  /** recipients of the group in the range; at least one */
  recipients: number;
}

const RECIPIENTS_A_LANE = 2_500;
const MOST_LANES = 8;

/** How many groups of lanes a campaign may have: what `recipient_terms.lane_group` can count (reference/routing#order). */
export const MOST_GROUPS = 256;

/** Routes of a chain: the first carries, the others take over. */
export const MOST_ROUTES_OF_A_CHAIN = 16;

/** Lanes of a campaign with so many recipients, and recipients of each but the last. */
function split(total: number): { lanes: number; size: number } {
  const lanes = Math.max(1, Math.min(MOST_LANES, Math.ceil(total / RECIPIENTS_A_LANE)));
  return { lanes, size: Math.max(1, Math.ceil(total / lanes)) };
}

/**
 * Splits a campaign into a few lanes that workers can send side by side: each group has its own for every range in which it
 * has recipients.
 * @param groups of the recipients, in their order; absent = all of them are of group 0
 */
export function planLanes(total: number, groups?: Uint8Array): PlannedLane[] {
  const { lanes, size } = split(total);
  const ranges = Array.from({ length: lanes }, (_, lane) => ({
    lane,
    from: 1 + lane * size,
    end: Math.min(total, (lane + 1) * size) + 1,
  })).filter((range) => range.from < range.end);
  if (!groups) return ranges.map((range) => ({ ...range, group: 0, recipients: range.end - range.from }));
  const planned = ranges.flatMap((range) => {
    const counts = new Map<number, number>();
    for (const group of groups.subarray(range.from - 1, range.end - 1)) counts.set(group, (counts.get(group) ?? 0) + 1);
    return [...counts].map(([group, recipients]) => ({
      ...range,
      lane: group * MOST_LANES + range.lane,
      group,
      recipients,
    }));
  });
  return planned.sort((a, b) => a.lane - b.lane);
}

/** The lane of a recipient, as `planLanes` has split the campaign; for good. @param group as in `recipient_terms` */
export const laneOf = (total: number, seq: number, group = 0): number =>
  group * MOST_LANES + Math.floor((seq - 1) / split(total).size);

/** Lanes below it are those of `planLanes`; from it on, those of recipients that a carrier has refused. */
const FIRST_REFUSED_LANE = MOST_GROUPS * MOST_LANES;

/** The lane of a group's recipients that the routes before this one have refused. @param place of its route in the chain */
export const refusedLaneOf = (group: number, place: number): number =>
  FIRST_REFUSED_LANE + group * MOST_ROUTES_OF_A_CHAIN + place;

/** The group of a lane: 0 = those who leave over the campaign's own chain of routes. */
export const groupOf = (lane: number): number =>
  lane < FIRST_REFUSED_LANE
    ? Math.floor(lane / MOST_LANES)
    : Math.floor((lane - FIRST_REFUSED_LANE) / MOST_ROUTES_OF_A_CHAIN);

/** The first place of its chain whose route may carry a lane: those before have refused its recipients. */
export const firstPlaceOf = (lane: number): number =>
  lane < FIRST_REFUSED_LANE ? 0 : (lane - FIRST_REFUSED_LANE) % MOST_ROUTES_OF_A_CHAIN;

/** Whether a lane has recipients that the routes before its own have refused. */
export const isRefusedLane = (lane: number): boolean => lane >= FIRST_REFUSED_LANE;

/** The lanes from which recipients may have come into such a lane: all of its group, and those of earlier places of the chain. */
export const lanesBefore = (lane: number): number[] => {
  const [group, place] = [groupOf(lane), firstPlaceOf(lane)];
  return [
    ...Array.from({ length: MOST_LANES }, (_, index) => group * MOST_LANES + index),
    ...Array.from({ length: Math.max(0, place - 1) }, (_, index) => refusedLaneOf(group, index + 1)),
  ];
};

/** As `groupOf` and `firstPlaceOf`, as SQL. @param lane the column */
export const sqlGroupOf = (lane: string): string =>
  `IF(${lane} < ${FIRST_REFUSED_LANE}, ${lane} DIV ${MOST_LANES}, (${lane} - ${FIRST_REFUSED_LANE}) DIV ${MOST_ROUTES_OF_A_CHAIN})`;
export const sqlFirstPlaceOf = (lane: string): string =>
  `IF(${lane} < ${FIRST_REFUSED_LANE}, 0, (${lane} - ${FIRST_REFUSED_LANE}) MOD ${MOST_ROUTES_OF_A_CHAIN})`;

/** Whether a lane has recipients that the routes before its own have refused, as SQL. @param lane the column */
export const sqlIsRefusedLane = (lane: string): string => `${lane} >= ${FIRST_REFUSED_LANE}`;
