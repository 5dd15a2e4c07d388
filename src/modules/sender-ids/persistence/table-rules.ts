import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of sender ids. */
export const senderIdTables: readonly TableRule[] = [
  { table: 'sender_ids', rule: 'kept', why: 'SENDER_IDS_PER_ACCOUNT' },
];
