/** Boxes on the way to the movie header; everything else is passed over. */
const HEADER_PATH = ['moov', 'mvhd'];
const BOX_HEAD = 8;

/**
 * Duration that an MP4 or M4A file claims in its movie header. Encoders fill up the last frame with silence behind it.
 * @returns milliseconds; null when it claims none
 */
export function mp4Milliseconds(bytes: Buffer): number | null {
  let content: Buffer | null = bytes;
  for (const name of HEADER_PATH) content = content && boxNamed(content, name);
  // version 1 has wider fields: two times of 8 bytes, then the time scale and a duration of 8 bytes
  const isWide = content?.[0] === 1;
  if (!content || content.length < (isWide ? 32 : 20)) return null;
  const scale = content.readUInt32BE(isWide ? 20 : 12);
  const duration = isWide ? Number(content.readBigUInt64BE(24)) : content.readUInt32BE(16);
  return scale === 0 || duration === 0 ? null : Math.round((duration / scale) * 1000);
}

/** The content of the first box of a name. */
function boxNamed(bytes: Buffer, name: string): Buffer | null {
  for (let at = 0; at + BOX_HEAD <= bytes.length;) {
    const short = bytes.readUInt32BE(at);
    const isLarge = short === 1 && at + 2 * BOX_HEAD <= bytes.length;
    const head = isLarge ? 2 * BOX_HEAD : BOX_HEAD;
    const size = isLarge ? Number(bytes.readBigUInt64BE(at + BOX_HEAD)) : short === 0 ? bytes.length - at : short;
    if (size < head) return null;
    if (bytes.toString('latin1', at + 4, at + 8) === name) return bytes.subarray(at + head, at + size);
    at += size;
  }
  return null;
}
