import smpp from 'smpp';

/** Command ids (SMPP 3.4 §5.1.2.1). A response has the highest bit set. */
export const Command = {
  GenericNack: 0x80000000,
  BindReceiver: 0x00000001,
  BindTransmitter: 0x00000002,
  SubmitSm: 0x00000004,
  SubmitSmResp: 0x80000004,
  DeliverSm: 0x00000005,
  DeliverSmResp: 0x80000005,
  Unbind: 0x00000006,
  UnbindResp: 0x80000006,
  BindTransceiver: 0x00000009,
  BindTransceiverResp: 0x80000009,
  EnquireLink: 0x00000015,
  EnquireLinkResp: 0x80000015,
  AlertNotification: 0x00000102,
  DataSm: 0x00000103,
  DataSmResp: 0x80000103,
} as const;

export const HEADER_LENGTH = 16;
/** Longer PDUs do not occur: a larger length means a corrupt stream. */
const LONGEST_PDU = 64 * 1024;
const HIGHEST_SEQUENCE = 0x7fffffff;

/** The stream is corrupt; the session must end. */
class BrokenStream extends Error {}

export function writeHeader(
  target: Buffer,
  at: number,
  length: number,
  command: number,
  status: number,
  sequence: number,
): void {
  writeUInt32(target, at, length);
  writeUInt32(target, at + 4, command);
  writeUInt32(target, at + 8, status);
  writeUInt32(target, at + 12, sequence);
}

/** Half the cost of `writeUInt32BE` on the hot path. */
function writeUInt32(target: Buffer, at: number, value: number): void {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
}

/** Whether a command needs a response: all requests but alert_notification (SMPP 3.4 §4.12). */
export const isAnswered = (command: number): boolean =>
  (command & 0x80000000) === 0 && command !== Command.AlertNotification;

/** Next sequence number, 1 to 0x7fffffff, then 1 again. */
export const nextSequence = (sequence: number): number => (sequence >= HIGHEST_SEQUENCE ? 1 : sequence + 1);

/** A PDU without a body (enquire_link, unbind, most refusals). */
export function headerOnly(command: number, status: number, sequence: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_LENGTH);
  writeHeader(bytes, 0, HEADER_LENGTH, command, status, sequence);
  return bytes;
}

/** Encodes with npm `smpp`, outside the hot path. */
export function encodePdu(command: string, sequence: number, fields: Record<string, unknown> = {}): Buffer {
  return new smpp.PDU(command, { ...fields, sequence_number: sequence }).toBuffer();
}

/** Decodes with npm `smpp`, outside the hot path; null for invalid bytes. */
export function decodePdu(bytes: Buffer): (Record<string, unknown> & { command: string }) | null {
  try {
    return new smpp.PDU(bytes);
  } catch {
    return null;
  }
}

/** Reads a C-octet string, never beyond `end`. */
export function readCString(bytes: Buffer, at: number, end: number): string {
  let stop = at;
  while (stop < end && bytes[stop] !== 0) stop++;
  return bytes.toString('latin1', at, stop);
}

/** Splits a byte stream into PDUs. They are views on the received bytes: read at once or copy. */
export class PduReader {
  private rest: Buffer | null = null;

  constructor(private readonly onPdu: (bytes: Buffer, start: number, end: number, command: number) => void) {}

  /** @throws BrokenStream for an impossible length */
  push(chunk: Buffer): void {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    this.rest = null;
    let at = 0;
    while (bytes.length - at >= 4) {
      const length = bytes.readUInt32BE(at);
      if (length < HEADER_LENGTH || length > LONGEST_PDU) throw new BrokenStream(`PDU length ${length}`);
      if (bytes.length - at < length) break;
      this.onPdu(bytes, at, at + length, bytes.readUInt32BE(at + 4));
      at += length;
    }
    if (at < bytes.length) this.rest = bytes.subarray(at);
  }
}

/** Command statuses with their own handling (SMPP 3.4 §5.1.3). */
export const Status = {
  Ok: 0x00,
  InvalidMessageLength: 0x01,
  InvalidCommand: 0x03,
  InvalidBindStatus: 0x04,
  SystemError: 0x08,
  BindFailed: 0x0d,
  MessageQueueFull: 0x14,
  SubmitFailed: 0x45,
  Throttled: 0x58,
  TemporaryReceiverError: 0x64,
} as const;

const TEXTS: Readonly<Record<number, string>> = {
  0x01: 'Message length is invalid',
  0x02: 'Command length is invalid',
  0x03: 'Invalid command',
  0x04: 'Incorrect bind status',
  0x05: 'Already bound',
  0x08: 'Carrier system error',
  0x0a: 'Invalid source address',
  0x0b: 'Invalid destination address',
  0x0c: 'Message id is invalid',
  0x0d: 'Bind failed',
  0x0e: 'Invalid password',
  0x0f: 'Invalid system id',
  0x14: 'Carrier message queue full',
  0x15: 'Invalid service type',
  0x33: 'Invalid number of destinations',
  0x43: 'Invalid esm_class',
  0x45: 'Submission failed',
  0x48: 'Invalid source address type of number',
  0x49: 'Invalid source address numbering plan',
  0x50: 'Invalid destination address type of number',
  0x51: 'Invalid destination address numbering plan',
  0x58: 'Throttled by the carrier',
  0x61: 'Invalid scheduled delivery time',
  0x62: 'Invalid validity period',
  0x64: 'Temporary error at the receiver',
  0x65: 'Permanent error at the receiver',
  0x66: 'Rejected by the receiver',
  0xff: 'Unknown carrier error',
};

/** Text of a carrier's refusal. */
export const statusText = (status: number): string =>
  TEXTS[status] ?? `Rejected by the carrier (0x${status.toString(16).padStart(2, '0')})`;

/** The carrier is busy: retry later; the attempt does not count. */
export const isThrottling = (status: number): boolean =>
  status === Status.Throttled || status === Status.MessageQueueFull;

/** Temporary fault of the carrier, which did not take the message. */
export const isTemporary = (status: number): boolean =>
  status === Status.SystemError || status === Status.InvalidBindStatus || status === Status.TemporaryReceiverError;

/** An optional parameter (SMPP 3.4 §5.3). */
export interface Tlv {
  tag: number;
  value: Buffer;
}

const HEAD = 4;

export function encodeTlvs(tlvs: readonly Tlv[]): Buffer {
  const bytes = Buffer.allocUnsafe(tlvs.reduce((length, { value }) => length + HEAD + value.length, 0));
  let at = 0;
  for (const { tag, value } of tlvs) {
    at = bytes.writeUInt16BE(tag, at);
    at = bytes.writeUInt16BE(value.length, at);
    at += value.copy(bytes, at);
  }
  return bytes;
}

/** Reads optional parameters; values are views on the bytes. @returns null when one exceeds `end` */
export function readTlvs(bytes: Buffer, start: number, end: number): Tlv[] | null {
  const tlvs: Tlv[] = [];
  for (let at = start; at < end;) {
    if (at + HEAD > end) return null;
    const from = at + HEAD;
    const next = from + bytes.readUInt16BE(at + 2);
    if (next > end) return null;
    tlvs.push({ tag: bytes.readUInt16BE(at), value: bytes.subarray(from, next) });
    at = next;
  }
  return tlvs;
}

const DAY = 86_400;
const MOST_DAYS = 99;
const two = (value: number): string => String(value).padStart(2, '0');

/** A relative time, `YYMMDDhhmmsstnnR` (SMPP 3.4 §7.1.1); at most 99 days. */
export function relativeTime(seconds: number): string {
  const days = Math.floor(seconds / DAY);
  if (days > MOST_DAYS) return `0000${MOST_DAYS}000000000R`;
  const [hours, minutes, rest] = [
    Math.floor((seconds % DAY) / 3_600),
    Math.floor((seconds % 3_600) / 60),
    seconds % 60,
  ];
  return `0000${two(days)}${two(hours)}${two(minutes)}${two(rest)}000R`;
}
