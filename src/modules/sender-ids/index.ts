export { type ApprovedSender, SenderIds } from './sender-ids.store.js';
export { senderErrors, senderIdErrors } from './sender-ids.errors.js';
export { SenderIdsModule } from './sender-ids.module.js';
export {
  readSenderId,
  type RawSmsOptions,
  readSmsOptions,
  sentExtras,
  type SmsOptionFault,
  type SmsOptions,
  LONGEST_REASON,
  SENDER_STATUSES,
  type SenderMove,
  type SenderStatus,
} from './sender-id.js';
export { senderIdTables } from './tables.js';
export { MoveSenderIdCommand } from './sender-ids.commands.js';
export { readSenderRowId, ReviewedSenderIdData } from './sender-ids.dto.js';
export { ReviewSenderIdsQuery } from './sender-ids.queries.js';
