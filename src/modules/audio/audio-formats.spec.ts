import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { mp3Milliseconds, mp4Milliseconds } from './audio-formats.js';

/** A silent frame: MPEG 1, layer III, 128 kbit/s, 44,100 Hz, stereo, unless the header says otherwise. */
function frame(header = 0xfffb9000, bytes = 417): Buffer {
  const made = Buffer.alloc(bytes);
  made.writeUInt32BE(header);
  return made;
}
const frames = (count: number, one = frame()): Buffer => Buffer.concat(Array.from({ length: count }, () => one));
const milliseconds = (count: number, samples = 1_152, rate = 44_100): number =>
  Math.round((count * samples * 1_000) / rate);

/** What encoders put first: how many frames, and how much of the sound is their own delay and padding. */
function info(claimedFrames: number, delay: number, padding: number, encoder = 'LAME3.100'): Buffer {
  const made = frame();
  made.write('Info', 36);
  made.writeUInt32BE(0xf, 40);
  made.writeUInt32BE(claimedFrames, 44);
  made.write(encoder, 36 + 8 + 112);
  made.writeUIntBE(delay * 4_096 + padding, 36 + 8 + 112 + 21, 3);
  return made;
}

/** An ID3v2 tag of so many bytes behind its head. */
function tag(bytes: number): Buffer {
  const made = Buffer.alloc(10 + bytes, 0xff);
  made.write('ID3\x03\x00\x00', 'latin1');
  made.writeUInt32BE(
    ((bytes >> 21) << 24) | (((bytes >> 14) & 127) << 16) | (((bytes >> 7) & 127) << 8) | (bytes & 127),
    6,
  );
  return made;
}

describe('the duration of an MP3 file', () => {
  it('is that of its frames, as an independent reader counts them', async () => {
    expect(mp3Milliseconds(frames(1))).toBe(26);
    for (const count of [10, 575, 4_594]) {
      const file = frames(count);
      expect(mp3Milliseconds(file)).toBe(milliseconds(count));
      const { format } = await parseBuffer(file, { mimeType: 'audio/mpeg' }, { duration: true });
      expect(Math.abs((format.duration ?? 0) * 1_000 - milliseconds(count))).toBeLessThan(1);
    }
  });

  it.each([
    ['MPEG 1, 48,000 Hz', 0xfffb9400, 384, 1_152, 48_000],
    ['MPEG 1, 32,000 Hz, mono', 0xfffb98c0, 576, 1_152, 32_000],
    ['MPEG 2, 22,050 Hz', 0xfff38000, 208, 576, 22_050],
    ['MPEG 2.5, 8,000 Hz', 0xffe34800, 288, 576, 8_000],
    ['with a checksum', 0xfffa9000, 417, 1_152, 44_100],
  ])('%s', (_name, header, bytes, samples, rate) => {
    expect(mp3Milliseconds(frames(100, frame(header, bytes)))).toBe(milliseconds(100, samples, rate));
  });

  it('does not count what the encoder put before and behind', () => {
    const file = Buffer.concat([info(576, 576, 1_476), frames(576)]);
    expect(mp3Milliseconds(file)).toBe(Math.round(((576 * 1_152 - 2_052) * 1_000) / 44_100));
    expect(mp3Milliseconds(Buffer.concat([info(576, 576, 1_476, 'Other'), frames(576)]))).toBe(milliseconds(576));
  });

  it('does not believe headers', () => {
    expect(mp3Milliseconds(Buffer.concat([info(1, 0, 0), frames(1_000)]))).toBe(milliseconds(1_000));
    expect(mp3Milliseconds(Buffer.concat([info(1, 4_095, 4_095), frames(100)]))).toBe(
      Math.round(((100 * 1_152 - 8_190) * 1_000) / 44_100),
    );
  });

  it('passes tags and junk, and counts what is hidden behind them', () => {
    const trailer = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125, 0xff)]);
    expect(mp3Milliseconds(Buffer.concat([tag(1_000), tag(300_000), frames(50), trailer]))).toBe(milliseconds(50));
    expect(mp3Milliseconds(Buffer.concat([frames(50), trailer, frames(50)]))).toBe(milliseconds(100));
    expect(mp3Milliseconds(Buffer.concat([Buffer.alloc(5_000, 1), frames(50)]))).toBe(milliseconds(50));
    expect(mp3Milliseconds(Buffer.concat([frames(50), Buffer.alloc(9_999, 2), frames(50)]))).toBe(milliseconds(100));
    expect(mp3Milliseconds(frames(50).subarray(0, 50 * 417 - 1))).toBe(milliseconds(49));
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(10_000)],
    ['ones', Buffer.alloc(10_000, 0xff)],
    ['a tag alone', tag(1_000)],
    ['a tag that claims more than there is', tag(1_000).subarray(0, 100)],
    ['too much junk', Buffer.concat([Buffer.alloc(70_000), frames(10)])],
    ['an information frame alone', info(1_000, 0, 0)],
    ['frames that follow nothing', Buffer.alloc(1_000_000, Buffer.from('fffb900012', 'hex'))],
    ['layer II', frames(50, frame(0xfffd9000))],
  ])('%s is no MP3 file', (_name, bytes) => expect(mp3Milliseconds(bytes)).toBeNull());
});

function box(name: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(name, 4);
  return Buffer.concat([head, body]);
}

function header(version: 0 | 1, scale: number, duration: number): Buffer {
  const content = Buffer.alloc(100);
  content[0] = version;
  content.writeUInt32BE(scale, version === 1 ? 20 : 12);
  if (version === 1) content.writeBigUInt64BE(BigInt(duration), 24);
  else content.writeUInt32BE(duration, 16);
  return box('mvhd', content);
}

describe('the duration that an MP4 file claims', () => {
  const type = box('ftyp', Buffer.from('M4A '));

  it('stands in its movie header, of either version and before or behind the sound', () => {
    expect(mp4Milliseconds(Buffer.concat([type, box('moov', header(0, 1_000, 15_001))]))).toBe(15_001);
    const sound = box('mdat', Buffer.alloc(500));
    expect(mp4Milliseconds(Buffer.concat([type, sound, box('moov', box('udta'), header(1, 48_000, 720_000))]))).toBe(
      15_000,
    );
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no movie', type],
    ['a movie without header', Buffer.concat([type, box('moov', box('trak'))])],
    ['a header cut short', box('moov', box('mvhd', Buffer.alloc(10)))],
    ['a box of no size', Buffer.from([0, 0, 0, 2, 109, 111, 111, 118, 0, 0])],
    ['no time scale', box('moov', header(0, 0, 5))],
    ['no duration', box('moov', header(1, 1_000, 0))],
    ['noise', Buffer.alloc(1_000, 0x77)],
  ])('%s: none', (_name, bytes) => expect(mp4Milliseconds(bytes)).toBeNull());
});
