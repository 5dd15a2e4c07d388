import { Query } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import type { ContactView } from './contact.view.js';

/**
 * A page of a campaign's recipients, in the order of the contacts.
 * @throws AppError not_found `Campaign not found`
 */
export class ListContacts extends Query<{ contacts: ContactView[]; total: number }> {
  /** @param status a word of the channel in any case of letters; null = all. An unknown word matches nobody */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly status: string | null,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
