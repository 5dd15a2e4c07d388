interface Frame {
  bytes: number;
  samples: number;
  rate: number;
  sideEnd: number;
}

/** kbit/s by index, for MPEG 1 and for MPEG 2 and 2.5. */
const BITRATES = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
/** By the version bits: MPEG 2.5, reserved, 2, 1. */
const RATES = [[11_025, 12_000, 8_000], [], [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]] as const;
const MPEG_1 = 3;
/** Second byte of a layer III frame, and the mask of its constant bits. */
const SYNC = 0xe2;
const SYNC_MASK = 0xe6;
const MONO = 3;
/** Most samples of delay and padding that an encoder can name: two fields of 12 bits. */
const MOST_SILENCE = 8_190;
/** Bytes that a player skips to find the first frame. */
const MOST_JUNK = 65_536;
/** Limit of false frame headers; tags of real files contain a few. */
const MOST_DOUBTS = 20_000;

/** Duration of an MP3 in ms by counting frames, since headers may lie; null for no MP3. Excludes the encoder's padding. */
export function mp3Milliseconds(bytes: Buffer): number | null {
  const begin = afterTags(bytes);
  const search = new FrameSearch(bytes);
  const first = search.next(begin);
  if (first === null || first > begin + MOST_JUNK) return null;
  const samples = new Map<number, number>();
  let silence = 0;
  for (let at: number | null = first; at !== null;) {
    const frame = readFrame(bytes, at);
    if (!frame || at + frame.bytes > bytes.length) {
      at = search.next(at + 1);
      continue;
    }
    const info = at === first ? readInfo(bytes.subarray(at, at + frame.bytes), frame.sideEnd) : null;
    if (info === null) samples.set(frame.rate, (samples.get(frame.rate) ?? 0) + frame.samples);
    else silence = Math.min(info.silence, MOST_SILENCE) / frame.rate;
    at += frame.bytes;
  }
  if (search.exhausted) return null;
  const seconds = [...samples].reduce((sum, [rate, count]) => sum + count / rate, 0);
  return seconds <= silence ? null : Math.max(1, Math.round((seconds - silence) * 1000));
}

class FrameSearch {
  private doubts = 0;

  constructor(private readonly bytes: Buffer) {}

  /** true when the search stopped after too many false frame headers */
  get exhausted(): boolean {
    return this.doubts > MOST_DOUBTS;
  }

  next(from: number): number | null {
    const { bytes } = this;
    for (let at = from; at < bytes.length && !this.exhausted; at++) {
      if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & SYNC_MASK) !== SYNC) continue;
      const frame = readFrame(bytes, at);
      if (!frame) continue;
      const end = at + frame.bytes;
      if (end === bytes.length || isTag(bytes, end) || readFrame(bytes, end)?.rate === frame.rate) return at;
      this.doubts++;
    }
    return null;
  }
}

/** Position after the ID3v2 tags at the beginning. */
function afterTags(bytes: Buffer): number {
  let at = 0;
  while (at + 10 <= bytes.length && bytes.toString('latin1', at, at + 3) === 'ID3') {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at + 6, at + 10);
    const footer = ((bytes[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10;
    at += 10 + ((a & 0x7f) << 21) + ((b & 0x7f) << 14) + ((c & 0x7f) << 7) + (d & 0x7f) + footer;
  }
  return at;
}

const isTag = (bytes: Buffer, at: number): boolean =>
  /^(TAG|APETAGEX|LYRICS|ID3)/.test(bytes.toString('latin1', at, at + 8));

function readFrame(bytes: Buffer, at: number): Frame | null {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return null;
  const second = bytes[at + 1] ?? 0;
  if ((second & SYNC_MASK) !== SYNC) return null;
  const version = (second >> 3) & 3;
  const third = bytes[at + 2] ?? 0;
  const fourth = bytes[at + 3] ?? 0;
  const bitrate = BITRATES[version === MPEG_1 ? 1 : 2][third >> 4];
  const rate = RATES[version]?.[(third >> 2) & 3];
  if (!bitrate || !rate) return null;
  const samples = version === MPEG_1 ? 1152 : 576;
  const mono = fourth >> 6 === MONO;
  const side = version === MPEG_1 ? (mono ? 17 : 32) : mono ? 9 : 17;
  return {
    bytes: Math.floor((samples / 8) * ((bitrate * 1000) / rate)) + ((third >> 1) & 1),
    samples,
    rate,
    sideEnd: 4 + ((second & 1) === 0 ? 2 : 0) + side,
  };
}

const VBRI_AT = 36;

/** An encoder's first frame, which describes the file and has no sound; null = an ordinary frame. */
function readInfo(frame: Buffer, sideEnd: number): { silence: number } | null {
  if (frame.toString('latin1', VBRI_AT, VBRI_AT + 4) === 'VBRI') return { silence: 0 };
  if (!/^(Xing|Info)$/.test(frame.toString('latin1', sideEnd, sideEnd + 4))) return null;
  const flags = frame.length >= sideEnd + 8 ? frame.readUInt32BE(sideEnd + 4) : 0;
  // number of frames, bytes, table of contents, quality: each present if its flag is set
  const fields = (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
  const encoder = sideEnd + 8 + fields;
  const name = frame.toString('latin1', encoder, encoder + 4);
  if (frame.length < encoder + 24 || !/^La(ME|v[cf])$/i.test(name)) return { silence: 0 };
  const delayAndPadding = frame.readUIntBE(encoder + 21, 3);
  return { silence: (delayAndPadding >> 12) + (delayAndPadding & 0xfff) };
}

const HEADER_PATH = ['moov', 'mvhd'];
const BOX_HEAD = 8;

/** Duration in milliseconds that an MP4 or M4A claims; null for none. Encoders fill up the last frame with silence after it. */
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

export interface WavFormat {
  /** wFormatTag, of the subformat if extensible: 1 PCM, 6 A-law, 7 µ-law, … */
  codec: number;
  channels: number;
  rate: number;
  bits: number;
  frameBytes: number;
}

export interface Wav {
  format: WavFormat;
  data: Buffer;
  /** true when the file has one format and one data chunk of the claimed sizes, so that every player plays the same */
  honest: boolean;
}

const PCM = 1;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;
const HEADER_BYTES = 44;
const LOWEST_RATE = 4_000;
const HIGHEST_RATE = 48_000;

const isWav = (bytes: Buffer): boolean =>
  bytes.length >= 12 && bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE';

/** Parses a WAV file. @returns null when the format or the samples are missing */
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
  // with two formats or data chunks, players may choose others than we do
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

/** Whether a telephone carrier plays it: PCM of 8 or 16 bits, A-law or µ-law, one or two channels. */
export function isTelephoneWav({ codec, channels, rate, bits, frameBytes }: WavFormat): boolean {
  const known = codec === PCM ? bits === 8 || bits === 16 : (codec === A_LAW || codec === MU_LAW) && bits === 8;
  return known && channels <= 2 && rate >= LOWEST_RATE && rate <= HIGHEST_RATE && frameBytes === channels * (bits >> 3);
}

/** Duration in milliseconds of the bytes present; only for codecs with constant frames, see `isTelephoneWav`. */
export const wavMilliseconds = ({ format, data }: Wav): number =>
  Math.round((data.length / format.frameBytes / format.rate) * 1000);

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

/** Our own audio, as a telephone carrier transports it. */
export const TELEPHONE_FORMAT: WavFormat = { codec: PCM, channels: 1, rate: 8_000, bits: 16, frameBytes: 2 };

/** Containers we parse, and those for the transcoder. */
export type Container = 'wav' | 'mp3' | ForeignContainer;

export type ForeignContainer = 'ogg' | 'mov' | 'flac' | 'aiff' | 'matroska' | 'aac' | 'amr' | 'caf';

const text = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to);

/** Containers by their first bytes, in the order of checks; MP3 last, because its mark is weak. */
const MARKS: readonly (readonly [Container, (bytes: Buffer) => boolean])[] = [
  ['wav', (bytes) => text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 12) === 'WAVE'],
  ['ogg', (bytes) => text(bytes, 0, 4) === 'OggS'],
  ['mov', (bytes) => text(bytes, 4, 8) === 'ftyp'],
  ['flac', (bytes) => text(bytes, 0, 4) === 'fLaC'],
  ['aiff', (bytes) => text(bytes, 0, 4) === 'FORM' && /^AIF[FC]$/.test(text(bytes, 8, 12))],
  ['matroska', (bytes) => bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3],
  ['amr', (bytes) => text(bytes, 0, 5) === '#!AMR'],
  ['caf', (bytes) => text(bytes, 0, 4) === 'caff'],
  ['aac', (bytes) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xf6) === 0xf0],
  ['mp3', (bytes) => text(bytes, 0, 3) === 'ID3' || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0)],
];

/** Recognizes a container by its content only. @returns null for an unknown one */
export const containerOf = (bytes: Buffer): Container | null => MARKS.find(([, begins]) => begins(bytes))?.[0] ?? null;
