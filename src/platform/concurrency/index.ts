export { Beat, type Gathering, GroupCommit, ONE_TICK } from './group-commit.js';
export { KeyedSemaphore, Semaphore, UrgentFirst } from './semaphore.js';
export { PeriodicTask, SingleRun } from './periodic-task.js';
export { within, readAhead, PartTime } from './async-work.js';
export { boundedCache, TtlCache } from './caches.js';
