import { firstIdAt } from '../../../kernel/ids.js';
import type { TableRule } from '../../../platform/tables/index.js';

const KEPT_MS = 396 * 86_400_000;

/** What becomes of alarms: those that are past go after 13 months. */
export const alarmTables: readonly TableRule[] = [
  {
    ...{ table: 'alarms', rule: 'age', column: 'id', valueAt: firstIdAt },
    ...{ onlyIf: "state = 'past' AND cleared_at < ?", keptMs: KEPT_MS },
  },
];
