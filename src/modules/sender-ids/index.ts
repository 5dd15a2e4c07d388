export { type ApprovedSender, SenderIds } from './sender-ids.js';
export { senderErrors } from './sender-ids.errors.js';
export { SenderIdsModule } from './sender-ids.module.js';
export { readDltId, readSenderId } from './domain/sender-id.js';
export { senderIdTables } from './persistence/table-rules.js';
