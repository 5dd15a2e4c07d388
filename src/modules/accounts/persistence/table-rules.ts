import type { TableRule } from '../../../platform/tables/index.js';

const OF_ACCOUNT = 'part of an account, which is closed and never removed';

/** What becomes of the rows of accounts. */
export const accountTables: readonly TableRule[] = [
  {
    table: 'accounts',
    rule: 'kept',
    why: 'its ledger, its campaigns and the audit log name it; it is closed, never removed',
  },
  { table: 'login_identities', rule: 'kept', why: OF_ACCOUNT },
  {
    table: 'name_claims',
    rule: 'work',
    why: 'taken by the transaction that takes the names, else by the sweeper after a minute',
  },
  { table: 'teams', rule: 'kept', why: OF_ACCOUNT },
  { table: 'assigned_users', rule: 'kept', why: 'USERS_PER_ACCOUNT; the owner removes them' },
  { table: 'api_keys', rule: 'kept', why: 'API_KEYS_PER_ACCOUNT' },
  { table: 'login_addresses', rule: 'kept', why: 'the latest 20 of each login' },
  { table: 'revoked_tokens', rule: 'work', why: 'each logout removes those of tokens that have expired' },
  { table: 'security_log', rule: 'work', why: 'its writer removes what is older than 90 days, or beyond a million' },
  {
    table: 'audit_log',
    rule: 'kept',
    why: 'evidence of what staff did, to money too: it names no recipient, and grows with staff, not with messages',
  },
];
