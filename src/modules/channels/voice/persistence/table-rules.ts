import { idBound } from '../../../../platform/database/index.js';
import type { TableRule } from '../../../../platform/tables/index.js';

/** What becomes of calls. */
export const voiceTables: readonly TableRule[] = [
  { table: 'voice_calls', rule: 'days', bound: idBound, of: { root: 'campaigns', column: 'campaign_id' } },
];
