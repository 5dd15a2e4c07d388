import fc from 'fast-check';
import smpp from 'smpp';
import { describe, expect, it } from 'vitest';
import {
  type Addressing,
  isSender,
  readMessageBody,
  readMessageId,
  SubmitSmEncoder,
  writeIdResponse,
} from './message-pdus.js';
import { Command, encodePdu, encodeTlvs, PduReader, readTlvs, relativeTime } from './pdu.js';
import { type SmsParts, splitSms } from './sms-parts.js';

const addressing = { sourceAddr: 'Switchbrd', sourceTon: 5, sourceNpi: 0, destTon: 1, destNpi: 1 };
const digits = fc.stringMatching(/^[0-9]{1,20}$/);
const text = fc.oneof(
  fc.string({ maxLength: 400 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constant('€'.repeat(200)),
);

function write(
  sms: SmsParts,
  part: number,
  to: string,
  sequence: number,
  reference: number | null,
  { sender, ...own }: Partial<Addressing> & { sender?: string } = {},
): Buffer {
  const encoder = new SubmitSmEncoder({ ...addressing, ...own });
  const message = { to, sender, body: sms.parts[part] as Buffer, dataCoding: sms.dataCoding, reference };
  const bytes = Buffer.alloc(encoder.size(message) + 3, 0xee);
  expect(encoder.write(bytes, 3, sequence, message)).toBe(bytes.length);
  return bytes.subarray(3);
}

describe('submit_sm by hand', () => {
  it('writes the bytes that npm smpp writes', () => {
    fc.assert(
      fc.property(digits, text, fc.integer({ min: 1, max: 0x7fffffff }), fc.nat(255), (to, message, sequence, ref) => {
        const sms = splitSms(message) as SmsParts;
        sms.parts.forEach((body, index) => {
          const reference = sms.concatenated ? ref : null;
          const short = Buffer.from(body);
          if (reference !== null) short[3] = reference;
          const expected = new smpp.PDU('submit_sm', {
            sequence_number: sequence,
            source_addr: 'Switchbrd',
            source_addr_ton: 5,
            dest_addr_ton: 1,
            dest_addr_npi: 1,
            destination_addr: to,
            esm_class: reference === null ? 0 : 0x40,
            registered_delivery: 1,
            data_coding: sms.dataCoding,
            short_message: short,
          }).toBuffer();
          expect(write(sms, index, to, sequence, reference)).toEqual(expected);
        });
      }),
    );
  });

  it.each<[string, Partial<Addressing>, string, number, number]>([
    ['a name', {}, 'Shop', 5, 0],
    ['digits', {}, '4915112345', 1, 1],
    ['a short code', {}, '57575', 3, 0],
    ['the longest short code', {}, '12345678', 3, 0],
    ['the shortest number', {}, '123456789', 1, 1],
    ['a number beside a short code', { sourceAddr: '4477', sourceTon: 3, sourceNpi: 8 }, '4915112345', 1, 1],
    ['a name beside a number', { sourceAddr: '4477', sourceTon: 3, sourceNpi: 8 }, 'Shop', 5, 0],
    ['a short code like the described one', { sourceAddr: '4477', sourceTon: 3, sourceNpi: 8 }, '4488', 3, 8],
    ['a name like the described one', { sourceTon: 0, sourceNpi: 9 }, 'Shop 24', 0, 9],
    ['digits beside none', { sourceAddr: '', sourceTon: 0, sourceNpi: 0 }, '4915112345', 1, 1],
  ])('a sender of its own stands described as its kind is: %s', (_, own, sender, ton, npi) => {
    const sms = splitSms('hello') as SmsParts;
    const expected = new smpp.PDU('submit_sm', {
      sequence_number: 7,
      source_addr: sender,
      source_addr_ton: ton,
      source_addr_npi: npi,
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '4912345',
      registered_delivery: 1,
      data_coding: sms.dataCoding,
      short_message: sms.parts[0] as Buffer,
    }).toBuffer();
    expect(write(sms, 0, '4912345', 7, null, { ...own, sender })).toEqual(expected);
  });

  it('writes validity and optional parameters as npm smpp does, and reads them back', () => {
    const sms = splitSms('hello') as SmsParts;
    const tlvs = encodeTlvs([
      { tag: 0x0204, value: Buffer.of(1, 2) },
      { tag: 0x001d, value: Buffer.from('491\0') },
    ]);
    const message = {
      to: '4912345',
      body: sms.parts[0] as Buffer,
      dataCoding: sms.dataCoding,
      reference: null,
      validity: relativeTime(90_061),
      tlvs,
    };
    const encoder = new SubmitSmEncoder(addressing);
    const bytes = Buffer.alloc(encoder.size(message), 0xee);
    expect(encoder.write(bytes, 0, 7, message)).toBe(bytes.length);
    const expected = new smpp.PDU('submit_sm', {
      sequence_number: 7,
      source_addr: 'Switchbrd',
      source_addr_ton: 5,
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '4912345',
      registered_delivery: 1,
      validity_period: '000001010101000R',
      data_coding: sms.dataCoding,
      short_message: sms.parts[0] as Buffer,
      user_message_reference: 0x0102,
      additional_status_info_text: '491',
    }).toBuffer();
    expect(bytes).toEqual(expected);
    const read = readMessageBody(bytes, 0, bytes.length);
    expect(read?.body.validityPeriod).toBe('000001010101000R');
    expect(readTlvs(bytes, read?.next ?? 0, bytes.length)).toEqual([
      { tag: 0x0204, value: Buffer.of(1, 2) },
      { tag: 0x001d, value: Buffer.from('491\0') },
    ]);
    for (let end = (read?.next ?? 0) + 1; end < bytes.length; end++) {
      const whole = end === (read?.next ?? 0) + 6;
      expect(readTlvs(bytes, read?.next ?? 0, end) === null).toBe(!whole);
    }
  });

  it.each([
    [1, '000000000001000R'],
    [60, '000000000100000R'],
    [86_399, '000000235959000R'],
    [259_200, '000003000000000R'],
    [100 * 86_400, '000099000000000R'],
  ])('%i seconds from now are %s', (seconds, text) => {
    expect(relativeTime(seconds)).toBe(text);
    expect(text).toHaveLength(16);
  });

  it('takes senders that fit the field', () => {
    expect(['Shop', '1'.repeat(20)].map(isSender)).toEqual([true, true]);
    expect(['', '1'.repeat(21), 'Käse', 'a\0b'].map(isSender)).toEqual([false, false, false, false]);
  });

  it('leaves the shared parts as they are', () => {
    const sms = splitSms('a'.repeat(200)) as SmsParts;
    write(sms, 0, '4912345', 7, 200);
    expect((sms.parts[0] as Buffer)[3]).toBe(0);
  });

  it('is read back, by ours and by npm smpp', () => {
    const sms = splitSms('Grüße {€}') as SmsParts;
    const bytes = write(sms, 0, '4912345', 7, null);
    const read = readMessageBody(bytes, 0, bytes.length);
    expect(read).toMatchObject({
      next: bytes.length,
      body: { sourceAddr: 'Switchbrd', destinationAddr: '4912345', esmClass: 0, registeredDelivery: 1, dataCoding: 0 },
    });
    expect(new smpp.PDU(bytes)).toMatchObject({ destination_addr: '4912345', short_message: { message: 'Grüße {€}' } });
  });

  it('gives up on a body that is cut short, at every length', () => {
    const bytes = write(splitSms('hello') as SmsParts, 0, '4912345', 7, null);
    for (let end = 16; end < bytes.length; end++) expect(readMessageBody(bytes.subarray(0, end), 0, end)).toBeNull();
  });
});

describe('answers', () => {
  it('are written as npm smpp writes them and read back', () => {
    const bytes = Buffer.alloc(16 + 5);
    expect(writeIdResponse(bytes, 0, Command.SubmitSmResp, 0, 9, 'a1B2')).toBe(21);
    expect(bytes).toEqual(encodePdu('submit_sm_resp', 9, { message_id: 'a1B2' }));
    expect(readMessageId(bytes, 0, bytes.length)).toBe('a1B2');
    expect(readMessageId(bytes.subarray(0, 16), 0, 16)).toBe('');
  });
});

describe('PduReader', () => {
  it('finds the same PDUs however the stream is cut', () => {
    const stream = Buffer.concat(
      [1, 2, 3, 4, 5]
        .map((sequence) => encodePdu('enquire_link', sequence))
        .concat(encodePdu('submit_sm_resp', 6, { message_id: 'abc' })),
    );
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
        const seen: number[] = [];
        const reader = new PduReader((bytes, start) => seen.push(bytes.readUInt32BE(start + 12)));
        let from = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), stream.length]) {
          reader.push(Buffer.from(stream.subarray(from, cut)));
          from = cut;
        }
        expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
      }),
    );
  });

  it.each([0, 15, 0x10001, 0xffffffff])('refuses the length %i', (length) => {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32BE(length, 0);
    expect(() => new PduReader(() => undefined).push(bytes)).toThrow('PDU length');
  });
});
