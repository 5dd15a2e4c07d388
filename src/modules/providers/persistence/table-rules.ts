import type { TableRule } from '../../../platform/tables/index.js';

const DAY_MS = 86_400_000;

/** What becomes of routes, and of what contacts write. */
export const providerTables: readonly TableRule[] = [
  { table: 'routes', rule: 'kept', why: 'staff make and remove them' },
  { table: 'route_binds', rule: 'kept', why: 'as many as routes have binds; they go with their route' },
  { table: 'route_states', rule: 'kept', why: 'one row a route, which goes with it' },
  { table: 'chat_inbound_messages', rule: 'age', column: 'received_at' },
  { table: 'chat_windows', rule: 'age', column: 'open_until', keptMs: DAY_MS },
  { table: 'chat_contacts', rule: 'age', column: 'updated_at' },
];
