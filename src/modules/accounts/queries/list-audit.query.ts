import { Query } from '@nestjs/cqrs';

/** One entry of the audit log; `created_at` in the reader's time zone. */
export interface AuditEntryView {
  id: number;
  /** `system` for the service itself */
  actor: string;
  /** username of the person who acted for the actor; null: the actor itself */
  assigned_user: string | null;
  action: string;
  subject: string;
  details: Record<string, unknown>;
  created_at: string;
}

/** A page of the audit log, newest first; `actor` null = everybody. */
export class ListAuditQuery extends Query<{ entries: AuditEntryView[]; total: number }> {
  constructor(
    readonly actor: string | null,
    readonly timeZone: string,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
