import { AppError } from '../../../kernel/app-error.js';
import type { ErrorRow } from '../../../platform/http/index.js';
import { BALANCES, type BalanceName, isBalanceName } from '../domain/balances.js';

const TEXT = `balance must be one of: ${BALANCES.join(', ')}`;

/** The row of every ledger's error table. */
export const BALANCE_ROW: ErrorRow = { status: 400, message: TEXT, reason: 'another word' };

/**
 * Which balance a ledger is asked for.
 * @returns null = all six
 * @throws AppError 400 for another word
 */
export function readBalance(query: Record<string, unknown>): BalanceName | null {
  const { balance } = query;
  if (balance === undefined || balance === '') return null;
  if (!isBalanceName(balance)) throw new AppError('invalid', 'unknown_balance', TEXT);
  return balance;
}
