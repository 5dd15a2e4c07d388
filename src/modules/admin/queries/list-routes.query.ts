import { Query } from '@nestjs/cqrs';
import type { RouteHealth } from '../../providers/index.js';

/** A route as operators see it; secrets read `***`. */
export interface RouteView {
  name: string;
  channel: string;
  driver: string;
  config: Record<string, unknown>;
  messages_per_second: number | null;
  is_default: boolean;
  /** whether the workers reach the carrier */
  health: RouteHealth;
  last_error: string | null;
  /** where the carrier sends its receipts; null for drivers that need none */
  callback_url: string | null;
  created_at: string;
  updated_at: string;
}

/** All routes by name, or the one of a name. */
export class ListRoutesQuery extends Query<RouteView[]> {
  /** @param timeZone in which times are shown */
  constructor(
    readonly name: string | null,
    readonly timeZone: string,
  ) {
    super();
  }
}
