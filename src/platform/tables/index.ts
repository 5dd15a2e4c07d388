export { DAYS_AHEAD, DayMaker, TABLE_RULES } from './day-maker.js';
export { Moments } from './moments.js';
export { Retention } from './retention.js';
export type { TableRule } from './table-rule.js';
export { platformTables } from './platform-tables.js';
export { TablesModule, TablesWorkerModule } from './tables.module.js';
