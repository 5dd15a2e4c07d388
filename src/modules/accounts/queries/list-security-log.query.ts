import { Query } from '@nestjs/cqrs';

/** One entry of the security log; `created_at` in the reader's time zone. */
export interface SecurityEntryView {
  id: number;
  event: string;
  username: string;
  ip: string;
  /** so many equal ones at that moment */
  times: number;
  created_at: string;
}

/** A page of the security log, newest first; null = any name, any address. */
export class ListSecurityLogQuery extends Query<{ entries: SecurityEntryView[]; total: number }> {
  constructor(
    readonly username: string | null,
    readonly ip: string | null,
    readonly timeZone: string,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
