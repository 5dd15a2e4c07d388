import type { LaneTurn } from './lane-turn.js';

/** A lane of several groups is looked through for its own recipients in steps of so many. */
const GROUPED_SPAN = 10_000;

/** A lane in a window. */
export interface PlannedLane {
  turn: LaneTurn;
  /** the end of the part that is planned, exclusive */
  end: number;
  /** recipients of it, at the most */
  most: number;
}

/** A campaign's lane of which only the recipients of a group, or retries, leave: where that part ends is not known yet. */
const isAlone = ({ single, retriesDue, grouped }: LaneTurn): boolean => !single && (retriesDue || grouped);

/**
 * Fills a window with lanes of one route, in their order. Retries that are due come first; campaigns' retries, and lanes of
 * a campaign whose recipients leave over several routes, have windows of their own.
 * @param size recipients
 */
export function planWindow(turns: readonly LaneTurn[], size: number): PlannedLane[] {
  const [first] = turns;
  if (!first) return [];
  if (isAlone(first)) {
    const end = first.retriesDue ? first.nextSeq : Math.min(first.nextSeq + GROUPED_SPAN, first.endSeq);
    return [{ turn: first, end, most: size }];
  }
  const planned: PlannedLane[] = [];
  let left = size;
  for (const turn of turns) {
    if (isAlone(turn)) continue;
    const most = turn.retriesDue ? 1 : Math.min(left, turn.endSeq - turn.nextSeq);
    if (planned.length > 0 && most > left) break;
    planned.push({ turn, end: turn.retriesDue ? turn.nextSeq : turn.nextSeq + most, most });
    left -= most;
    if (left <= 0) break;
  }
  return planned;
}

/** Whether the part of a lane may have more recipients than its window takes. */
export const isGrouped = ({ turn }: PlannedLane): boolean => turn.grouped && !turn.single && !turn.retriesDue;
