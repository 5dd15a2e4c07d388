import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of money. */
export const creditTables: readonly TableRule[] = [
  { table: 'credit_balances', rule: 'kept', why: 'six of each account' },
  { table: 'reseller_grants', rule: 'kept', why: 'six of each client of a reseller' },
  {
    table: 'credit_ledger',
    rule: 'work',
    why: 'the ledger closer removes months that are over for RETENTION_DAYS, once they stand in a closing',
  },
  {
    table: 'usage_counters',
    rule: 'kept',
    why: 'what a day was charged, by channel, calling code and sender: some rows of an account and a day on which it sent',
  },
  { table: 'credit_months', rule: 'kept', why: 'one a month' },
  {
    table: 'credit_closings',
    rule: 'kept',
    why: 'one of a balance and a month in which it moved: the sum of what has gone',
  },
];
