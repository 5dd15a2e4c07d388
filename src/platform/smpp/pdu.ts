import smpp from 'smpp';

/** Command ids that we meet (SMPP 3.4 §5.1.2.1). An answer is its request with the highest bit set. */
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
/** No PDU of ours or of a carrier comes near; a larger length is a stream that lost its place. */
const LONGEST_PDU = 64 * 1024;
const HIGHEST_SEQUENCE = 0x7fffffff;

/** The stream can not be read on; the session must end. */
export class BrokenStream extends Error {}

/** Writes the 16 bytes every PDU begins with. */
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

/** Four stores; `writeUInt32BE` costs twice as much on the hot path. */
function writeUInt32(target: Buffer, at: number, value: number): void {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
}

/**
 * True for a command that wants an answer: a request, and none of alert_notification, which has no answer at all (SMPP 3.4
 * §4.12). What we do not know gets the refusal the standard asks for; answers without a waiting request are dropped.
 */
export const isAnswered = (command: number): boolean =>
  (command & 0x80000000) === 0 && command !== Command.AlertNotification;

/** Next sequence number, 1 to 0x7fffffff, then 1 again. */
export const nextSequence = (sequence: number): number => (sequence >= HIGHEST_SEQUENCE ? 1 : sequence + 1);

/** A PDU that consists of its header alone (enquire_link, unbind, most refusals). */
export function headerOnly(command: number, status: number, sequence: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_LENGTH);
  writeHeader(bytes, 0, HEADER_LENGTH, command, status, sequence);
  return bytes;
}

/** Everything outside the hot path is encoded by npm `smpp`. */
export function encodePdu(command: string, sequence: number, fields: Record<string, unknown> = {}): Buffer {
  return new smpp.PDU(command, { ...fields, sequence_number: sequence }).toBuffer();
}

/** Everything outside the hot path is decoded by npm `smpp`; null when it can not make sense of the bytes. */
export function decodePdu(bytes: Buffer): (Record<string, unknown> & { command: string }) | null {
  try {
    return new smpp.PDU(bytes);
  } catch {
    return null;
  }
}

/** A C-octet string, without its end byte; never reads beyond `end`. */
export function readCString(bytes: Buffer, at: number, end: number): string {
  let stop = at;
  while (stop < end && bytes[stop] !== 0) stop++;
  return bytes.toString('latin1', at, stop);
}

/** Cuts a byte stream into PDUs. What is handed out is a view on the received bytes: read it at once or copy it. */
export class PduReader {
  private rest: Buffer | null = null;

  constructor(private readonly onPdu: (bytes: Buffer, start: number, end: number, command: number) => void) {}

  /** @throws BrokenStream when a length can not be true */
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
