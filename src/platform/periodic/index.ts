export { CLOCK_BACK, type ClockStep, DueWatch, WakeCalls } from './due-watch.js';
export { LeaderTasksModule } from './periodic.module.js';
export { LeaderGate, SharedTask } from './leader-tasks.js';
export { DayMaker } from './day-maker.js';
export { Moments } from './moments.js';
export { Retention } from './retention.js';
export { type TableRule, platformTables } from './table-rule.js';
export { TablesModule, TablesWorkerModule } from './periodic.module.js';
