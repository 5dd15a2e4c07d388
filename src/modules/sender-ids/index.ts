export { type ApprovedSender, SenderIds } from './sender-ids.js';
export { senderErrors, senderIdErrors } from './sender-ids.errors.js';
export { SenderIdsModule } from './sender-ids.module.js';
export { readSenderId } from './domain/sender-id.js';
export {
  type RawSmsOptions,
  readSmsOptions,
  sentExtras,
  type SmsOptionFault,
  type SmsOptions,
} from './domain/sms-options.js';
export { senderIdTables } from './persistence/table-rules.js';
export { MoveSenderIdCommand } from './commands/move-sender-id.command.js';
export { LONGEST_REASON, SENDER_STATUSES, type SenderMove, type SenderStatus } from './domain/sender-id.js';
export { readSenderRowId, ReviewedSenderIdData } from './http/sender-id.dto.js';
export { ReviewSenderIdsQuery } from './queries/review-sender-ids.query.js';
