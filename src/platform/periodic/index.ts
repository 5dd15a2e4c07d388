export { CLOCK, CLOCK_BACK, type ClockStep, DueWatch, type LeaderTask, WakeCalls } from './due-watch.js';
export { LeaderTasksModule } from './periodic.module.js';
export { LeaderGate, SharedTask, type SharedTaskTerms } from './leader-tasks.js';

export { DAYS_AHEAD, DayMaker, TABLE_RULES } from './day-maker.js';
export { Moments } from './moments.js';
export { Retention } from './retention.js';
export { type TableRule, platformTables } from './table-rule.js';
export { TablesModule, TablesWorkerModule } from './periodic.module.js';
