import type { BalanceName } from './balances.js';

/** One balance of one account. */
export interface Purse {
  accountId: number;
  balance: BalanceName;
}

/** One text a balance, for maps. */
export const purseKey = ({ accountId, balance }: Purse): string => `${accountId} ${balance}`;
