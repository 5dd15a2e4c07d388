import { dateBound } from '../../../platform/database/index.js';
import type { TableRule } from '../../../platform/tables/index.js';

/** Minutes are for charts of a day and for alarms; hours for the same month of last year. */
const MINUTE_DAYS = { mostDays: 2, leastDays: 2 };
const HOUR_DAYS = { mostDays: 396, leastDays: 396 };

/** What becomes of stored counters. */
export const statisticsTables: readonly TableRule[] = [
  { table: 'traffic_minutes', rule: 'days', bound: dateBound, ...MINUTE_DAYS },
  { table: 'traffic_hours', rule: 'days', bound: dateBound, ...HOUR_DAYS },
];
