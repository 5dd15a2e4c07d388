import { Query } from '@nestjs/cqrs';

/** A branded request as anybody may see it; the keys are the spec's, spelling included (spec 4.8). */
export interface PublicProfileRequest {
  Username: string;
  'Display Name': string;
  Number: string | null;
  'Bussiness Number': string;
  'Current Status': string;
  'Created At': string;
  'Updated At': string;
}

/** Branded requests of the direct clients of a parent account, the newest first; times in the parent's zone. */
export class LookUpProfileRequestsQuery extends Query<PublicProfileRequest[]> {
  /** @param prefix of the username or the display name, in any case; '' = all */
  constructor(
    readonly parentUsername: string,
    readonly prefix: string,
  ) {
    super();
  }
}
