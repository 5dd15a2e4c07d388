import type { CampaignState } from '../state/campaign-transitions.js';

/** A lane by its key. */
export interface LaneKey {
  campaignId: number;
  lane: number;
}

/** A lane as a turn found it, with what the turn needs of its campaign. The claim raises the fence by one. */
export interface LaneTurn extends LaneKey {
  /** as it was read: the claim asks for it, and what the turn writes stands under the next one */
  fence: number;
  nextSeq: number;
  intentSeq: number;
  endSeq: number;
  state: CampaignState;
  channel: string;
  accountId: number;
  routeId: number;
  /** a campaign of one recipient */
  single: boolean;
  /** recipients of the campaign leave over several chains of routes: the lane has those of its group alone */
  grouped: boolean;
  /** recipients of the campaign have senders of their own */
  ownSenders: boolean;
  /** recipients of the campaign have variables */
  ownVariables: boolean;
  /** sender id of recipients that have none of their own; null = the route's */
  sender: string | null;
  content: Record<string, unknown>;
  /** since when its messages could leave: the moment of acceptance, or of the schedule; clock of `performance.now()` */
  waitingSince: number;
  /** retries are due */
  retriesDue: boolean;
  /** another worker had begun retries, and has not ended them */
  retriesBegun: boolean;
  /** of the last claim, as `LaneStore.claim` got it */
  claimId: number | null;
  /** for how long nothing has got through; null = it moves */
  stalledMs: number | null;
  /** how often it was handed to another route */
  moves: number;
}

/** A lane whose turn is over. */
export interface LaneEnding {
  turn: LaneTurn;
  /** the new position of a turn that sent nothing, and so recorded no intent; null = the intent */
  reached: number | null;
}

/** The fence under which a claimed turn writes. */
export const heldFence = ({ fence }: Pick<LaneTurn, 'fence'>): number => fence + 1;

/**
 * Whether its window shares statements with those of other routes. One of single messages is a group of campaigns already, and
 * waits for no other; the claim of one with retries is a transaction of many statements.
 */
export const isShared = ({ single, retriesDue }: LaneTurn): boolean => !single && !retriesDue;

/** One text a lane, for maps. */
export const laneKey = ({ campaignId, lane }: LaneKey): string => `${campaignId} ${lane}`;

/** The order in which lanes are locked. */
export const inLaneOrder = (a: LaneKey, b: LaneKey): number => a.campaignId - b.campaignId || a.lane - b.lane;

/** The ends of turns that reach what they intended. */
export const endingsOf = (turns: readonly LaneTurn[]): LaneEnding[] => turns.map((turn) => ({ turn, reached: null }));

/** Lanes as an SQL condition. Not `(a, b) IN (…)`: MariaDB reads the whole index for a list of one row. */
export const isOneOfLanes = (alias: string, lanes: readonly LaneKey[]): string =>
  lanes.map(() => `(${alias}.campaign_id = ? AND ${alias}.lane = ?)`).join(' OR ');
