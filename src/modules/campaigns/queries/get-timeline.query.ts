import { Query } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';

/** One moment of a recipient's life, oldest first. */
export interface TimelineEventView {
  /** in the zone of the owning account */
  at: string;
  event: string;
  /** the recipient's word from then on; null where it did not change */
  status: string | null;
  details: Record<string, unknown>;
}

/** What became of one recipient, and when. */
export interface TimelineView {
  seq: number;
  receiver: string;
  status: string;
  events: TimelineEventView[];
}

/** @throws AppError not_found `Campaign not found`, `Contact not found` */
export class GetTimeline extends Query<TimelineView> {
  /** @param seq as it stands in the path */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly seq: string,
  ) {
    super();
  }
}
