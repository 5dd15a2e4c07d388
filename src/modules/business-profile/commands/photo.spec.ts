import { describe, expect, it } from 'vitest';
import { MOST_PHOTO_BYTES, readPhoto } from './photo.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const JPEG = Buffer.from([
  0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9,
]);

const ofSize = (size: number): Buffer => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]);

describe('a photo', () => {
  it('is JPEG or PNG by its content', async () => {
    expect(await readPhoto(PNG)).toEqual({ bytes: PNG, mimeType: 'image/png', name: 'photo.png' });
    expect(await readPhoto(JPEG)).toEqual({ bytes: JPEG, mimeType: 'image/jpeg', name: 'photo.jpg' });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('photo.png')],
    ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1')],
    ['an SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a PDF', Buffer.from('%PDF-1.7\n')],
    ['the first bytes of a PNG', PNG.subarray(0, 4)],
  ])('is not %s', async (_name, bytes) => {
    await expect(readPhoto(bytes)).rejects.toMatchObject({
      kind: 'unprocessable',
      message: 'Photo must be a JPEG or PNG image',
    });
  });

  it('has at most 5 MB, to the byte', async () => {
    expect((await readPhoto(ofSize(MOST_PHOTO_BYTES))).bytes).toHaveLength(5_242_880);
    await expect(readPhoto(ofSize(MOST_PHOTO_BYTES + 1))).rejects.toMatchObject({
      kind: 'unprocessable',
      message: 'Photo must be at most 5 MB',
    });
  });

  it('must be there', async () => {
    await expect(readPhoto(null)).rejects.toMatchObject({ kind: 'invalid', message: 'file is required' });
  });
});
