import { Command } from '@nestjs/cqrs';
import type { BusinessProfile, ChatConnection } from '../../providers/index.js';

/**
 * Changes the supplied fields of the profile at the provider and answers the profile as it stands there afterwards.
 * Safe to repeat.
 * @throws AppError the rows of spec 7 "Business profile" in their order, then `invalid` for a field of the body
 */
export class UpdateBusinessProfileCommand extends Command<BusinessProfile> {
  /** @param body the request's fields as they came: the account's faults are told before theirs */
  constructor(
    readonly accountId: number,
    readonly connection: ChatConnection,
    readonly body: Record<string, unknown>,
  ) {
    super();
  }
}
