import { describe, expect, it } from 'vitest';
import { mp4Milliseconds } from './mp4.js';

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
