import { Query } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import type { ContactView } from './contact.view.js';

/** A campaign's recipients, read a few thousand at a time when they are asked for. */
export interface ContactExport {
  requestId: string;
  /** whether the recipients have the columns of calls */
  calls: boolean;
  /** in the order of the contacts */
  batches: AsyncIterable<ContactView[]>;
}

/**
 * Opens the export of a campaign's recipients.
 * @throws AppError not_found `Campaign not found`
 */
export class ExportContacts extends Query<ContactExport> {
  /** @param status as in `ListContacts` */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly status: string | null,
  ) {
    super();
  }
}
