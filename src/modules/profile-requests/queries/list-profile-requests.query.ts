import { Query } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { ProfileRequestView } from './profile-request.view.js';

/** An account's requests of every status, the newest first (spec 4.8). */
export class ListProfileRequestsQuery extends Query<ProfileRequestView[]> {
  constructor(readonly account: Account) {
    super();
  }
}
