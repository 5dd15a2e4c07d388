export { isTemporary, isThrottling, Status, statusText } from './command-status.js';
export { type DeliverSm, readDataSm, readDeliverSm } from './deliver-sm.js';
export {
  Command,
  decodePdu,
  encodePdu,
  HEADER_LENGTH,
  headerOnly,
  isAnswered,
  nextSequence,
  PduReader,
  writeHeader,
} from './pdu.js';
export { type DataCoding, PartsCache, type SmsParts, splitSms } from './sms-parts.js';
export { encodeTlvs, readTlvs, relativeTime, type Tlv } from './tlv.js';
export {
  type Addressing,
  describeSender,
  isSender,
  LONGEST_DESTINATION,
  type OutgoingSm,
  readMessageBody,
  readMessageId,
  type SubmitSm,
  SubmitSmEncoder,
  writeIdResponse,
} from './submit-sm.js';
