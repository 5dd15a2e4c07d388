import { Query } from '@nestjs/cqrs';
import type { BalanceName, LedgerKind } from '../domain/balances.js';

/** A ledger entry as decisions §7 gives it; `created_at` is formatted in the account's time zone. */
export interface LedgerEntryView {
  id: number;
  balance: BalanceName;
  /** signed: debits and take-backs are negative */
  amount: number;
  /** the balance after it */
  available: number;
  kind: LedgerKind;
  request_id: string | null;
  note: string | null;
  created_at: string;
}

/** One page of an account's ledger, newest first; `balance` null = all six. */
export class ListLedgerQuery extends Query<{ entries: LedgerEntryView[]; total: number }> {
  constructor(
    readonly accountId: number,
    readonly timeZone: string,
    readonly balance: BalanceName | null,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
