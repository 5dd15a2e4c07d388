export { SenderIds } from './sender-ids.store.js';
export { senderErrors } from './sender-ids.errors.js';
export { SenderIdsModule } from './sender-ids.module.js';
export { type RawSmsOptions, readSmsOptions, sentExtras, type SmsOptionFault, type SmsOptions } from './sender-id.js';
export { senderIdTables } from './tables.js';
