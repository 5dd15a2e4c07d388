export {
  type AcceptedBroadcast,
  BroadcastSubmission,
  type BroadcastSender,
  type BroadcastTerms,
} from './broadcast-submission.js';
export { broadcastErrors } from './broadcasts.errors.js';
export { BroadcastsModule } from './broadcasts.module.js';
export {
  type Broadcast,
  type BroadcastFault,
  type RawBroadcast,
  readBroadcast,
  readBroadcastContact,
} from './domain/broadcast.js';
export { acceptanceRows, broadcastRows, CONTACT_ROW, TOO_MANY, tooLongRow } from './http/broadcast-error-rows.js';
export { BROADCAST_EXAMPLE, BroadcastBody } from './http/broadcast.dto.js';
