import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of uploads and lists. */
export const recipientListTables: readonly TableRule[] = [
  { table: 'recipient_uploads', rule: 'work', why: 'the sweeper removes them after seven days; UPLOADS_PER_ACCOUNT' },
  { table: 'recipient_upload_rows', rule: 'work', why: 'removed before their upload, some thousand at a time' },
  { table: 'recipient_lists', rule: 'kept', why: 'until their owner removes them; LISTS_PER_ACCOUNT' },
  { table: 'recipient_list_members', rule: 'kept', why: 'as long as their list; MEMBERS_PER_LIST' },
];
