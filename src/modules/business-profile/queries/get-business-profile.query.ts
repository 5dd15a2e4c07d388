import { Query } from '@nestjs/cqrs';
import type { BusinessProfile, ChatConnection } from '../../providers/index.js';

/**
 * The profile as the provider has it at this moment.
 * @throws AppError the rows of spec 7 "Business profile" in their order
 */
export class GetBusinessProfileQuery extends Query<BusinessProfile> {
  constructor(
    readonly accountId: number,
    readonly connection: ChatConnection,
  ) {
    super();
  }
}
