/** One frame of MPEG audio, layer III. */
interface Frame {
  bytes: number;
  samples: number;
  /** samples a second */
  rate: number;
  /** bytes from the frame's start to its main data */
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
/** Second byte of every frame of layer III, and the bits of it that are always so. */
const SYNC = 0xe2;
const SYNC_MASK = 0xe6;
const MONO = 3;
/** Most samples of delay and padding that an encoder can name: two fields of 12 bits. */
const MOST_SILENCE = 8_190;
/** Bytes before the first frame that a player would skip looking for it. */
const MOST_JUNK = 65_536;
/** Places that look like a frame and are none; in real files there are a few, in tags. */
const MOST_DOUBTS = 20_000;

/**
 * Duration of an MP3 file by counting its frames, since what its headers say need not be true: players look for frames
 * everywhere. Delay and padding of the encoder, which players cut off, do not count.
 * @returns milliseconds; null when it is no MP3 file
 */
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

/** Looks for places where a frame begins and another one, or the end of the file, follows it. */
class FrameSearch {
  private doubts = 0;

  constructor(private readonly bytes: Buffer) {}

  /** true when there was so much that looks like frames and is none that the search was given up */
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

/** Behind the ID3v2 tags that stand at the beginning. */
function afterTags(bytes: Buffer): number {
  let at = 0;
  while (at + 10 <= bytes.length && bytes.toString('latin1', at, at + 3) === 'ID3') {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at + 6, at + 10);
    const footer = ((bytes[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10;
    at += 10 + ((a & 0x7f) << 21) + ((b & 0x7f) << 14) + ((c & 0x7f) << 7) + (d & 0x7f) + footer;
  }
  return at;
}

/** Tags that stand behind the last frame. */
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

/** An encoder's first frame that describes the file and holds no sound; null = an ordinary frame. */
function readInfo(frame: Buffer, sideEnd: number): { silence: number } | null {
  if (frame.toString('latin1', VBRI_AT, VBRI_AT + 4) === 'VBRI') return { silence: 0 };
  if (!/^(Xing|Info)$/.test(frame.toString('latin1', sideEnd, sideEnd + 4))) return null;
  const flags = frame.length >= sideEnd + 8 ? frame.readUInt32BE(sideEnd + 4) : 0;
  // number of frames, bytes, table of contents, quality: each there when its flag is set
  const fields = (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
  const encoder = sideEnd + 8 + fields;
  const name = frame.toString('latin1', encoder, encoder + 4);
  if (frame.length < encoder + 24 || !/^La(ME|v[cf])$/i.test(name)) return { silence: 0 };
  const delayAndPadding = frame.readUIntBE(encoder + 21, 3);
  return { silence: (delayAndPadding >> 12) + (delayAndPadding & 0xfff) };
}
