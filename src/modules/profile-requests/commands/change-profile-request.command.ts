import { Command } from '@nestjs/cqrs';
import type { RawProfile } from '../domain/profile-request.js';

/**
 * The owner changes a pending request; only supplied fields change.
 * @throws AppError not_found, invalid `Can only update pending profile requests`, then the fields' own rows; conflict when
 *   it would equal another pending request
 */
export class ChangeProfileRequestCommand extends Command<void> {
  constructor(
    readonly accountId: number,
    readonly requestId: number,
    readonly changes: RawProfile,
  ) {
    super();
  }
}
