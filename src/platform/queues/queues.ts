/**
 * How long a worker may hold a job without a sign of life, milliseconds; short, because a job of a killed worker blocks its
 * id until then, and harmless, because a turn that runs twice finds its fence taken.
 */
export const LOCK_MS = 10_000;

/** A lane that wants its next window. The fence makes the job's id: a second job for the same turn is hardly ever queued. */
export interface LaneJob {
  campaignId: number;
  lane: number;
  fence: number;
}

/**
 * How long an id keeps a second job away, milliseconds. Bull adds no job while the key of one with its id is there, also
 * when Redis has lost the list that it stood in (evicted, or deleted key by key): that turn would never come. Long,
 * because lanes that wait in a long queue are asked for again and again, and each new id is one more job there.
 */
const ID_LIFETIME_MS = 900_000;

/** @param at milliseconds since 1970 */
export const laneJobId = ({ campaignId, lane, fence }: LaneJob, at = Date.now()): string =>
  `${campaignId}-${lane}-${fence}-${Math.floor(at / ID_LIFETIME_MS)}`;
