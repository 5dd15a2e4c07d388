import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_PHOTO_BYTES, readPhoto, readProfileChanges } from './business-profile.commands.js';

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

const TEXTS = ['about', 'address', 'description', 'email', 'vertical'] as const;

describe('reading the fields of a profile', () => {
  it('takes what was supplied and nothing else', () => {
    expect(readProfileChanges({})).toEqual({ changes: {} });
    expect(readProfileChanges({ about: 'Bread', channel: 'branded', other: 1 })).toEqual({
      changes: { about: 'Bread' },
    });
  });

  it.each(TEXTS)('%s: a number is its text, an empty value clears, anything else is at fault', (field) => {
    expect(readProfileChanges({ [field]: 1904 })).toEqual({ changes: { [field]: '1904' } });
    for (const empty of [null, '', '  '])
      expect(readProfileChanges({ [field]: empty })).toEqual({ changes: { [field]: '' } });
    expect(readProfileChanges({ [field]: undefined })).toEqual({ changes: {} });
    for (const wrong of [true, false, {}, [], ['x'], NaN, Infinity])
      expect(readProfileChanges({ [field]: wrong })).toEqual({ fault: field });
  });

  it('websites: a list of texts without its empty entries', () => {
    expect(readProfileChanges({ websites: ['https://a.example', '', null, 7] })).toEqual({
      changes: { websites: ['https://a.example', '7'] },
    });
    for (const empty of [null, [], ['', null]])
      expect(readProfileChanges({ websites: empty })).toEqual({ changes: { websites: [] } });
    for (const wrong of ['https://a.example', '', 7, {}, [true], [['x']], [{}]])
      expect(readProfileChanges({ websites: wrong })).toEqual({ fault: 'websites' });
  });

  it('tells the first fault in the order of the fields', () => {
    expect(readProfileChanges({ websites: 1, vertical: {}, email: [] })).toEqual({ fault: 'email' });
  });

  it('never throws, and what it lets through are texts of known fields', () => {
    const field = fc.constantFrom(...TEXTS, 'websites', 'channel', '__proto__');
    fc.assert(
      fc.property(fc.dictionary(field, fc.anything()), (body) => {
        const read = readProfileChanges(body);
        if ('fault' in read) {
          expect(body[read.fault]).not.toBeUndefined();
          return;
        }
        for (const [name, value] of Object.entries(read.changes)) {
          expect(Object.keys(body)).toContain(name);
          if (name === 'websites') expect((value as unknown[]).every((item) => typeof item === 'string')).toBe(true);
          else expect(TEXTS.includes(name as (typeof TEXTS)[number]) && typeof value === 'string').toBe(true);
        }
      }),
    );
  });
});
