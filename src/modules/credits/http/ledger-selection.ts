import { creditErrors } from '../credits.errors.js';
import { type BalanceName, isBalanceName } from '../domain/balances.js';

/**
 * Which balance a ledger is asked for.
 * @returns null = all six
 * @throws AppError 400 for another word
 */
export function readBalance(query: Record<string, unknown>): BalanceName | null {
  const { balance } = query;
  if (balance === undefined || balance === '') return null;
  if (!isBalanceName(balance)) throw creditErrors.unknownBalance();
  return balance;
}
