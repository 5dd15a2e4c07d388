import { conflict } from './define-error.js';

/**
 * Revision of something that its owner has not changed yet; each of the owner's changes makes it one more
 * (reference/admin#revisions).
 */
export const FIRST_REVISION = 1;

/**
 * Staff judge what they have looked at, not what the owner made of it since.
 * @param named the revision that the request names; null = none, which will do for what was never changed
 * @throws AppError conflict `Changed since you looked`
 */
export function assertSeen(revision: number, named: number | null): void {
  if ((named ?? FIRST_REVISION) !== revision) throw changedSince();
}

/** The owner was faster. */
export const changedSince = conflict(
  'changed_since',
  'Changed since you looked',
  'the owner did; or no revision, and it is not 1 any more',
);
