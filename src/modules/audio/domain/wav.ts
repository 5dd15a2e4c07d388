/** How the samples of a WAV file are laid out. */
export interface WavFormat {
  /** wFormatTag, of the subformat where the format is extensible: 1 PCM, 6 A-law, 7 µ-law, … */
  codec: number;
  channels: number;
  /** samples a second */
  rate: number;
  bits: number;
  /** bytes of one sample of all channels */
  frameBytes: number;
}

/** A WAV file, taken apart. */
export interface Wav {
  format: WavFormat;
  /** the samples that are there, whole frames only */
  data: Buffer;
  /** true when there is one format and one piece of sound, of the sizes that it claims: every player hears the same */
  honest: boolean;
}

const PCM = 1;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;
const HEADER_BYTES = 44;
const LOWEST_RATE = 4_000;
const HIGHEST_RATE = 48_000;

/** True when the bytes begin like a WAV file. */
export const isWav = (bytes: Buffer): boolean =>
  bytes.length >= 12 && bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE';

/** Takes a WAV file apart. @returns null when there is no format or no sample */
export function readWav(bytes: Buffer): Wav | null {
  if (!isWav(bytes)) return null;
  let format: WavFormat | null = null;
  let found: Buffer | null = null;
  const seen = { 'fmt ': 0, data: 0 };
  let at = 12;
  while (at + 8 <= bytes.length) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const content = bytes.subarray(at + 8, at + 8 + size);
    if (name === 'fmt ') format ??= readFormat(content);
    if (name === 'data') found ??= content;
    if (name === 'fmt ' || name === 'data') seen[name] += 1;
    at += 8 + size + (size % 2);
  }
  if (!format || !found) return null;
  const data = found.subarray(0, found.length - (found.length % format.frameBytes));
  // a missing pad byte at the very end is common and harmless
  const whole = at === bytes.length || at === bytes.length + 1;
  // of two formats, or of two pieces of sound, players need not take those that we take
  const isClear = seen['fmt '] === 1 && seen.data === 1;
  const honest = isClear && whole && bytes.readUInt32LE(4) + 8 === bytes.length && data.length === found.length;
  return data.length === 0 ? null : { format, data, honest };
}

function readFormat(content: Buffer): WavFormat | null {
  if (content.length < 16) return null;
  const tag = content.readUInt16LE(0);
  const codec = tag === EXTENSIBLE && content.length >= 26 ? content.readUInt16LE(24) : tag;
  const format = {
    codec,
    channels: content.readUInt16LE(2),
    rate: content.readUInt32LE(4),
    frameBytes: content.readUInt16LE(12),
    bits: content.readUInt16LE(14),
  };
  return format.channels > 0 && format.rate > 0 && format.frameBytes > 0 ? format : null;
}

/** Whether a telephone network plays it: PCM of 8 or 16 bits, A-law or µ-law, one or two channels. */
export function isTelephoneWav({ codec, channels, rate, bits, frameBytes }: WavFormat): boolean {
  const known = codec === PCM ? bits === 8 || bits === 16 : (codec === A_LAW || codec === MU_LAW) && bits === 8;
  return known && channels <= 2 && rate >= LOWEST_RATE && rate <= HIGHEST_RATE && frameBytes === channels * (bits >> 3);
}

/** Duration in milliseconds, from the bytes that are there. Only for codecs of constant frames, such as `isTelephoneWav`. */
export const wavMilliseconds = ({ format, data }: Wav): number =>
  Math.round((data.length / format.frameBytes / format.rate) * 1000);

/** A WAV file of these samples. */
export function writeWav(format: WavFormat, data: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const padding = Buffer.alloc(data.length % 2);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER_BYTES - 8 + data.length + padding.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(format.codec, 20);
  header.writeUInt16LE(format.channels, 22);
  header.writeUInt32LE(format.rate, 24);
  header.writeUInt32LE(format.rate * format.frameBytes, 28);
  header.writeUInt16LE(format.frameBytes, 32);
  header.writeUInt16LE(format.bits, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data, padding]);
}

/** What our own audio has: PCM, 16 bits, one channel, 8,000 samples a second, as a telephone network carries it. */
export const TELEPHONE_FORMAT: WavFormat = { codec: PCM, channels: 1, rate: 8_000, bits: 16, frameBytes: 2 };
