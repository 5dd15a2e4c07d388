export { type HeldRecipients, type ReadBy, RecipientLists, type RecipientsOrigin } from './recipient-lists.js';
export { RecipientListsModule, RecipientListsWorkerModule } from './recipient-lists.module.js';
export { recipientListTables } from './tables.js';
export { listErrors, uploadErrors } from './recipient-lists.errors.js';
