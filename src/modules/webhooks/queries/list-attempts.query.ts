import { Query } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';

/** A try as its owner sees it (decisions §7). */
export interface AttemptView {
  event_id: string;
  type: string;
  /** counts from 1; replays count on */
  attempt: number;
  /** null = no answer */
  status_code: number | null;
  /** null = delivered; else what went wrong, with the first KB of the answer */
  error: string | null;
  duration_ms: number;
  created_at: string;
  /** null = delivered, or given up */
  next_attempt_at: string | null;
}

/** The log of an endpoint, newest first. @throws AppError not_found */
export class ListAttemptsQuery extends Query<{ attempts: AttemptView[]; total: number }> {
  constructor(
    readonly account: Account,
    readonly webhookId: number,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
