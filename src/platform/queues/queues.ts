/**
 * What the keys of a queue begin with. The tag keeps them in one hash slot of a cluster, as Bull's scripts demand; that it
 * names the queue spreads the queues over the masters.
 */
export const queuePrefix = (installation: string, queue: string): string => `{${installation}:${queue}}`;

/**
 * How long a worker may hold a job without a sign of life, milliseconds; short, because a job of a killed worker blocks its
 * id until then, and harmless, because a turn that runs twice finds its lanes taken.
 */
export const LOCK_MS = 10_000;

/** How many turns of a route and class wait or run side by side, over all workers, at the most; see `turnJobId`. */
const SLOTS = 16;

/** A turn of a route. */
export interface RouteTurn {
  routeId: number;
  /** messages of one recipient, or campaigns: each class has turns of its own */
  single: boolean;
}

/** A job: a turn, with what makes its id. A second job with the id of one that waits or runs is never queued. */
export interface TurnJob extends RouteTurn {
  slot: number;
  /** counts the turns of a chain: the next job cannot have the id of the one that is still running */
  turn: number;
}

/** The first job of a route's turns. */
export const firstTurn = ({ routeId, single }: RouteTurn): TurnJob => ({ routeId, single, slot: 0, turn: 0 });
/** The job after this one, at the tail of the queue. */
export const nextTurn = (job: TurnJob): TurnJob => ({ ...job, turn: (job.turn + 1) % 2 });
/** A job beside this one. */
export const besideTurn = (job: TurnJob): TurnJob => ({ ...job, slot: (job.slot + 1) % SLOTS, turn: 0 });

/**
 * How long an id keeps a second job away, milliseconds. Bull adds no job while the key of one with its id is there, also
 * when Redis has lost the list that it stood in (evicted, or deleted key by key): that turn would never come. Not
 * shorter, because a turn that waits in a long queue is asked for again and again, and each new id is one more job there.
 */
const ID_LIFETIME_MS = 30_000;

/** @param at milliseconds since 1970 */
export const turnJobId = ({ routeId, single, slot, turn }: TurnJob, at = Date.now()): string =>
  `${routeId}-${single ? 'single' : 'campaign'}-${slot}-${turn}-${Math.floor(at / ID_LIFETIME_MS)}`;
