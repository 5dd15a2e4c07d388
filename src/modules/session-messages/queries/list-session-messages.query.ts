import { Query } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';

/** A session message as its owner sees it. */
export interface SessionMessageView {
  id: number;
  /** digits with country code; null when it went to a user id */
  to: string | null;
  /** user id; null when it went to a number */
  recipient: string | null;
  type: string;
  broadcast_name: string | null;
  status: string;
  error_code: number | null;
  errorMessage: string | null;
  provider_message_id: string | null;
  /** null = it was to leave at once */
  scheduled_at: string | null;
  /** null = it has not left */
  sent_at: string | null;
  created_at: string;
  updated_at: string;
}

/** What a list of session messages is narrowed to; null = everything. */
export interface SessionMessageFilter {
  /** a chat word in any case of letters; an unknown one matches nothing */
  status: string | null;
  scheduled: boolean | null;
}

/** A page of an account's session messages, the newest first; times in the account's zone. */
export class ListSessionMessages extends Query<{ messages: SessionMessageView[]; total: number }> {
  constructor(
    readonly account: Account,
    readonly filter: SessionMessageFilter,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
