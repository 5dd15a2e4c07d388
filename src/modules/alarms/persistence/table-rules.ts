import { firstIdAt } from '../../../kernel/ids.js';
import type { TableRule } from '../../../platform/tables/index.js';

const DAY_MS = 86_400_000;
const KEPT_MS = 396 * DAY_MS;

/** What becomes of alarms: those that are past go after 13 months; disks that are short no more after a day. */
export const alarmTables: readonly TableRule[] = [
  {
    ...{ table: 'alarms', rule: 'age', column: 'id', valueAt: firstIdAt },
    ...{ onlyIf: "state = 'past' AND cleared_at < ?", keptMs: KEPT_MS },
  },
  { table: 'disk_shortages', rule: 'age', column: 'seen_at', keptMs: DAY_MS },
  { table: 'last_backup', rule: 'kept', why: 'one row' },
];
