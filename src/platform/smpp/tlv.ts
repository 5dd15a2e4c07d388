/** An optional parameter (SMPP 3.4 §5.3): what follows the mandatory fields of a PDU. */
export interface Tlv {
  tag: number;
  value: Buffer;
}

const HEAD = 4;

/** Optional parameters as they stand in a PDU. */
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

/**
 * Reads the optional parameters from a place on; the values are views on the bytes.
 * @returns null when one of them does not fit
 */
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

/** A time from now on, `YYMMDDhhmmsstnnR` (SMPP 3.4 §7.1.1); at most 99 days. */
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
