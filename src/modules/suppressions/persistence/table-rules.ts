import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of stop lists. */
export const suppressionTables: readonly TableRule[] = [
  {
    table: 'suppressions',
    rule: 'kept',
    why: 'a number that said STOP stays stopped; SUPPRESSIONS_PER_ACCOUNT for the rest',
  },
  {
    table: 'early_stops',
    rule: 'work',
    moments: [{ column: 'said_at', longest: 0 }, { column: 'look_at' }],
    why: 'a worker removes what has found its sender, and the rest after four leases of a lane',
  },
];
