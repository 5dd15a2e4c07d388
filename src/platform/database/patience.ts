import type { DataSource } from 'typeorm';

/** How long something is tried again, milliseconds. */
export interface Patience {
  /** while there is no writer: that of a wait for a connection */
  forWriter: number;
  /** while locks and certifications are lost */
  forLocks: number;
}

const DEFAULT: Patience = { forWriter: 10_000, forLocks: 50_000 };
const ofPools = new WeakMap<object, Patience>();

/** Of the pool: how long its users try again. */
export function notePatience(pool: object, bounds: { queryTimeout: number; poolWait: number }): Patience {
  const forLocks = bounds.queryTimeout > 0 ? 2 * bounds.queryTimeout : DEFAULT.forLocks;
  const patience = { forWriter: bounds.poolWait, forLocks };
  ofPools.set(pool, patience);
  return patience;
}

/** How long users of this pool try again. @param dataSource of a spec: has no driver */
export function patienceOf(dataSource: DataSource): Patience {
  const pool = (dataSource as { driver?: { pool?: object } }).driver?.pool;
  return (pool && ofPools.get(pool)) ?? DEFAULT;
}
