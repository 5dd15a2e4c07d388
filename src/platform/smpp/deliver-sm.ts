import { HEADER_LENGTH } from './pdu.js';
import { readDataFields, readMessageFields, type SmFields } from './submit-sm.js';

/** What a carrier pushes to us: a receipt, or a message from a handset. */
export interface DeliverSm {
  sourceAddr: string;
  destinationAddr: string;
  esmClass: number;
  dataCoding: number;
  text: string;
  /** optional parameters (TLVs) that receipts use */
  receiptedMessageId: string | null;
  messageState: number | null;
  networkErrorCode: number | null;
}

const RECEIPTED_MESSAGE_ID = 0x001e;
const NETWORK_ERROR_CODE = 0x0423;
const MESSAGE_PAYLOAD = 0x0424;
const MESSAGE_STATE = 0x0427;
const UDH_INDICATOR = 0x40;

/**
 * Reads a deliver_sm by hand: as many receipts come in as messages go out.
 * @returns null when its fields do not fit its length
 */
export function readDeliverSm(bytes: Buffer, start: number, end: number): DeliverSm | null {
  if (end - start < HEADER_LENGTH + 17) return null;
  const read = readMessageFields(bytes, start, end);
  return read && readOptions(bytes, end, read);
}

/** Reads a data_sm: some carriers bring receipts in it. @returns null when its fields do not fit its length */
export function readDataSm(bytes: Buffer, start: number, end: number): DeliverSm | null {
  const read = readDataFields(bytes, start, end);
  return read && readOptions(bytes, end, read);
}

/** What the optional parameters say, beside the mandatory ones. */
function readOptions(bytes: Buffer, end: number, read: SmFields): DeliverSm | null {
  let [textAt, textEnd] = [read.textAt, read.next];
  let receiptedMessageId: string | null = null;
  let messageState: number | null = null;
  let networkErrorCode: number | null = null;
  for (let at = read.next; at + 4 <= end;) {
    const tag = bytes.readUInt16BE(at);
    const length = bytes.readUInt16BE(at + 2);
    const from = at + 4;
    at = from + length;
    if (at > end) return null;
    if (tag === RECEIPTED_MESSAGE_ID) receiptedMessageId = bytes.toString('latin1', from, at).replace(/\0+$/, '');
    else if (tag === MESSAGE_STATE && length === 1) messageState = bytes[from] ?? null;
    else if (tag === NETWORK_ERROR_CODE && length === 3) networkErrorCode = bytes.readUInt16BE(from + 1);
    else if (tag === MESSAGE_PAYLOAD && textAt === textEnd) [textAt, textEnd] = [from, at];
  }
  return {
    sourceAddr: read.sourceAddr,
    destinationAddr: read.destinationAddr,
    esmClass: read.esmClass,
    dataCoding: read.dataCoding,
    text: decode(bytes, textAt, textEnd, read),
    receiptedMessageId: receiptedMessageId === '' ? null : receiptedMessageId,
    messageState,
    networkErrorCode,
  };
}

/** Receipts are ASCII in every alphabet but UCS-2. No view is made of the bytes: it would be the largest object of a receipt. */
function decode(bytes: Buffer, from: number, end: number, { dataCoding, esmClass }: SmFields): string {
  const header = esmClass & UDH_INDICATOR && from < end ? (bytes[from] as number) + 1 : 0;
  const at = Math.min(from + header, end);
  if ((dataCoding & 0x0c) !== 8 || (end - at) % 2 === 1) return bytes.toString('latin1', at, end);
  return Buffer.from(bytes.subarray(at, end)).swap16().toString('utf16le');
}
