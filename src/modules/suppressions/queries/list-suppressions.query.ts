import { Query } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { SuppressionSource } from '../domain/suppression.js';

/** An entry of the stop list as its owner sees it. */
export interface SuppressionView {
  number: string;
  source: SuppressionSource;
  created_at: string;
}

/** An account's stop list, by number; times in the account's zone. */
export class ListSuppressions extends Query<{ suppressions: SuppressionView[]; total: number }> {
  /** @param number only this one; null = all */
  constructor(
    readonly account: Account,
    readonly number: string | null,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
