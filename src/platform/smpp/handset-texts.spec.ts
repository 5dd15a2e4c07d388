import smpp from 'smpp';
import { describe, expect, it } from 'vitest';
import { encodeGsm } from '../../kernel/gsm-alphabet.js';
import { decodeText, readHandsetText } from './handset-texts.js';

const ucs2 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

function read(fields: Record<string, unknown>, command = 'deliver_sm') {
  const bytes = new smpp.PDU(command, {
    sequence_number: 1,
    source_addr: '4915100000001',
    source_addr_ton: 1,
    destination_addr: '57575',
    ...fields,
  }).toBuffer();
  const text = readHandsetText(bytes, 0, bytes.length);
  for (let end = 16; end < bytes.length; end++) readHandsetText(bytes.subarray(0, end), 0, end);
  return text;
}

const textOf = (fields: Record<string, unknown>, command?: string) => {
  const { body, dataCoding } = read(fields, command) ?? { body: Buffer.alloc(0), dataCoding: 0 };
  return decodeText([{ body, dataCoding }]);
};

describe('a text of a handset', () => {
  it.each<[string, Buffer, number, string, string]>([
    ['GSM 03.38', encodeGsm('@£$¥ €{}[]~\\|^ ÄÖÜ ñ'), 0, '@£$¥ €{}[]~\\|^ ÄÖÜ ñ', 'gsm7'],
    ['a class in the GSM group', encodeGsm('Ça va @ 5'), 0xf1, 'Ça va @ 5', 'gsm7'],
    ['a class in the general group', encodeGsm('hi_@'), 0x11, 'hi_@', 'gsm7'],
    ['Latin-1', Buffer.from('Grüße', 'latin1'), 3, 'Grüße', 'text'],
    ['Cyrillic', Buffer.from([0xbf, 0xe0, 0xd8]), 6, 'При', 'text'],
    ['UCS-2', ucs2('हाँ 👍'), 8, 'हाँ 👍', 'ucs2'],
    ['UCS-2 in the general group', ucs2('да'), 0x18, 'да', 'ucs2'],
    ['UCS-2 cut in the middle', ucs2('да').subarray(0, 3), 8, 'д', 'ucs2'],
    ['8-bit data', Buffer.from('00ff10', 'hex'), 4, '00ff10', 'binary'],
    ['8-bit data in the GSM group', Buffer.from('0a0b', 'hex'), 0xf5, '0a0b', 'binary'],
    ['a compressed text', Buffer.from('0a', 'hex'), 0x20, '0a', 'binary'],
  ])('is decoded by its data_coding: %s', (_, body, dataCoding, text, encoding) => {
    expect(textOf({ data_coding: dataCoding, short_message: { message: body } })).toEqual({ text, encoding });
  });

  it('comes in message_payload and in data_sm too', () => {
    const payload = { message_payload: { message: encodeGsm('a'.repeat(300)) } };
    expect(textOf({ short_message: '', data_coding: 0, ...payload }).text).toBe('a'.repeat(300));
    expect(textOf({ data_coding: 0, ...payload }, 'data_sm').text).toBe('a'.repeat(300));
  });

  it.each<[string, Record<string, unknown>, object | null]>([
    ['an 8-bit reference', { esm_class: 0x40, udh: '0500037b0302' }, { reference: '123/3', number: 2, total: 3 }],
    ['a 16-bit reference', { esm_class: 0x40, udh: '060804007b0201' }, { reference: '65659/2', number: 1, total: 2 }],
    ['behind another element', { esm_class: 0x40, udh: '0b0504158a00000003090202' }, { number: 2, total: 2 }],
    ['parts from 0', { esm_class: 0x40, udh: '0500037b0300' }, null],
    ['one part', { esm_class: 0x40, udh: '0500037b0101' }, null],
    ['SAR', { sar_msg_ref_num: 9, sar_total_segments: 2, sar_segment_seqnum: 2 }, { reference: '9/2', number: 2 }],
    ['no part', {}, null],
  ])('knows where it belongs: %s', (_, { udh = '', ...fields }, part) => {
    const message = Buffer.concat([Buffer.from(udh as string, 'hex'), Buffer.from('tail')]);
    const text = read({ ...fields, short_message: { message } });
    expect(text?.body.toString()).toBe('tail');
    if (part === null) expect(text?.part).toBeNull();
    else expect(text?.part).toMatchObject(part);
  });

  it('is written with the tables that its header names, in parts too', () => {
    const partOf = (udh: string, body: string) =>
      read({ esm_class: 0x40, short_message: { message: Buffer.from(`${udh}${body}`, 'hex') } });
    const parts = [
      partOf('0b 0003070201 250101 240101'.replaceAll(' ', ''), '400b1b'),
      partOf('0b 250101 0003070202 240101'.replaceAll(' ', ''), '6373'),
    ];
    expect(parts.map((part) => part?.part?.number)).toEqual([1, 2]);
    expect(decodeText(parts.flatMap((part) => part ?? [])).text).toBe('İĞçs');
    expect(decodeText([partOf('03240102', '1b41')].flatMap((part) => part ?? [])).text).toBe('Á');
  });

  it('is decoded as a whole where a part ends within a character', () => {
    const [euro, smile] = [encodeGsm('€'), ucs2('😀')];
    const halves = (bytes: Buffer, dataCoding: number, at: number) =>
      decodeText([bytes.subarray(0, at), bytes.subarray(at)].map((body) => ({ body, dataCoding }))).text;
    expect(halves(euro, 0, 1)).toBe('€');
    expect(halves(smile, 8, 2)).toBe('😀');
    expect(
      decodeText([
        { body: encodeGsm('a€'), dataCoding: 0 },
        { body: ucs2('ж'), dataCoding: 8 },
      ]).text,
    ).toBe('a€ж');
  });
});
