export { Beat } from './beat.js';
export { type Gathering, GroupCommit, ONE_TURN } from './group-commit.js';
export { KeyedSemaphore, type Shares } from './keyed-semaphore.js';
export { PeriodicTask } from './periodic-task.js';
export { type Patience, Semaphore } from './semaphore.js';
export { SingleRun } from './single-run.js';
export { UrgentFirst } from './urgent-first.js';
export { within } from './within.js';
export { readAhead } from './read-ahead.js';
