import { Query } from '@nestjs/cqrs';
import type { ProfileStatus } from '../domain/profile-request.js';
import type { ReviewedProfileRequest } from './profile-request.view.js';

/** Requests of all accounts, the newest first, or one of them. */
export class ReviewProfileRequestsQuery extends Query<{ requests: ReviewedProfileRequest[]; total: number }> {
  /** @param wanted null = of every status; times in the desk's `timeZone` */
  constructor(
    readonly wanted: { status: ProfileStatus } | { id: number } | null,
    readonly timeZone: string,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
