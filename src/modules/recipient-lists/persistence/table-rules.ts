import type { TableRule } from '../../../platform/tables/index.js';
import { READERS_LEASE_MS } from './readings.js';

/** The longest of those that writers, readers and the sweeper take. */
const LEASE = { column: 'lease_until', longest: READERS_LEASE_MS } as const;

/** What becomes of uploads and lists. */
export const recipientListTables: readonly TableRule[] = [
  {
    table: 'recipient_uploads',
    rule: 'work',
    why: 'the sweeper removes them after seven days; UPLOADS_PER_ACCOUNT',
    moments: [LEASE],
  },
  { table: 'recipient_upload_rows', rule: 'work', why: 'removed before their upload, some thousand at a time' },
  {
    table: 'recipient_lists',
    rule: 'kept',
    why: 'until their owner removes them; LISTS_PER_ACCOUNT',
    moments: [LEASE, { column: 'filling_until', longest: READERS_LEASE_MS }],
  },
  { table: 'recipient_list_members', rule: 'kept', why: 'as long as their list; MEMBERS_PER_LIST' },
];
