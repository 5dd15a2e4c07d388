import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NumberRules } from './call-number.js';
import { KEYS, type MenuRow, NOT_JSON, readMenu } from './menu.js';

const ANY: NumberRules = { allowedPrefixes: [] };
const NUMBER = '919812345678';
const CLIP = 'https://files.example/clip.mp3';
const transfer = { digit: '1', action: 'transfer', number: NUMBER };
const submenu = (rows: unknown, digit = '1'): unknown => ({ digit, action: 'submenu', prompt_audio: CLIP, rows });
const faultOf = (value: unknown, rules = ANY): unknown => {
  const read = readMenu(value, rules);
  return 'fault' in read ? read.fault : read;
};
const rowFault = (row: unknown): unknown => faultOf({ rows: [row] });
/** A menu in a menu in a menu …; `depth` menus in all. */
const nested = (depth: number): unknown[] => (depth === 1 ? [transfer] : [submenu(nested(depth - 1))]);

describe('readMenu', () => {
  it.each([undefined, null, '', ' \n'])('takes %j for none', (value) => {
    expect(readMenu(value, ANY)).toEqual({ rows: null });
  });

  it('reads every action, as an object and as its JSON text', () => {
    const flow = {
      rows: [
        { digit: 1, action: 'transfer', number: '+91 98123-45678', fallback_numbers: [919812345670, '919812345671'] },
        {
          digit: '*',
          action: 'submenu',
          prompt_audio: ` ${CLIP} `,
          rows: [
            { digit: '1', action: 'audio', audio: CLIP, after: 'back' },
            { digit: '2', action: 'audio', audio: CLIP },
            { digit: '#', action: 'back' },
          ],
        },
        { digit: '0', action: 'record', surprise: true },
      ],
      surprise: 1,
    };
    const rows: MenuRow[] = [
      { digit: '1', action: 'transfer', numbers: [NUMBER, '919812345670', '919812345671'] },
      {
        digit: '*',
        action: 'submenu',
        prompt: CLIP,
        rows: [
          { digit: '1', action: 'audio', audio: CLIP, after: 'back' },
          { digit: '2', action: 'audio', audio: CLIP, after: 'hangup' },
          { digit: '#', action: 'back' },
        ],
      },
      { digit: '0', action: 'record' },
    ];
    expect(readMenu(flow, ANY)).toEqual({ rows });
    expect(readMenu(JSON.stringify(flow), ANY)).toEqual({ rows });
  });

  it.each(['{', 'null', '[]', '7', '"text"', 7, true, false, [], [{ rows: [] }], '{"rows": [}'])(
    '%j is no flow',
    (value) => {
      expect(faultOf(value)).toBe(NOT_JSON);
    },
  );

  it.each([
    [{}, 'dtmf_flow.rows is required'],
    [{ rows: null }, 'dtmf_flow.rows is required'],
    [{ rows: [] }, 'dtmf_flow.rows is required'],
    [{ rows: 'text' }, 'dtmf_flow.rows must be an array'],
    [{ rows: {} }, 'dtmf_flow.rows must be an array'],
    [{ rows: [null] }, 'dtmf_flow.rows[0] must be an object'],
    [{ rows: [transfer, []] }, 'dtmf_flow.rows[1] must be an object'],
    [{ rows: [transfer, { digit: '2', action: 'transfer' }] }, 'dtmf_flow.rows[1].number is required'],
    [{ rows: [transfer, { ...transfer }] }, 'dtmf_flow.rows[1].digit is used twice'],
    [{ rows: [submenu([transfer, transfer])] }, 'dtmf_flow.rows[0].rows[1].digit is used twice'],
    [{ rows: [submenu(undefined)] }, 'dtmf_flow.rows[0].rows is required'],
    [{ rows: [submenu([{ digit: '1' }])] }, 'dtmf_flow.rows[0].rows[0].action is required'],
  ])('%j: %s', (flow, fault) => {
    expect(faultOf(flow)).toBe(fault);
    expect(faultOf(JSON.stringify(flow))).toBe(fault);
  });

  it.each([
    [{ action: 'record' }, 'digit is required'],
    [{ digit: true, action: 'record' }, 'digit is required'],
    [{ digit: '12', action: 'record' }, 'digit must be one of 0-9, * and #'],
    [{ digit: 'A', action: 'record' }, 'digit must be one of 0-9, * and #'],
    [{ digit: '٣', action: 'record' }, 'digit must be one of 0-9, * and #'],
    [{ digit: '1' }, 'action is required'],
    [{ digit: '1', action: 'dance' }, 'action must be one of: transfer, submenu, audio, record, back'],
    [{ digit: '1', action: 'back' }, 'action back is only possible in a submenu'],
    [{ digit: '1', action: 'transfer', number: '123456789' }, 'number must be 10 to 16 digits'],
    [{ digit: '1', action: 'transfer', number: '12345678901234567' }, 'number must be 10 to 16 digits'],
    [{ digit: '1', action: 'transfer', number: {} }, 'number must be 10 to 16 digits'],
    [{ ...transfer, fallback_numbers: NUMBER }, 'fallback_numbers must be an array'],
    [{ ...transfer, fallback_numbers: Array(4).fill(NUMBER) }, 'fallback_numbers must hold at most 3 numbers'],
    [{ ...transfer, fallback_numbers: [NUMBER, ''] }, 'fallback_numbers[1] is required'],
    [{ ...transfer, fallback_numbers: [NUMBER, '1'] }, 'fallback_numbers[1] must be 10 to 16 digits'],
    [{ digit: '1', action: 'submenu', rows: [transfer] }, 'prompt_audio is required'],
    [{ digit: '1', action: 'submenu', prompt_audio: 'clip.mp3', rows: [transfer] }, 'prompt_audio must be a valid URL'],
    [{ digit: '1', action: 'audio' }, 'audio is required'],
    [{ digit: '1', action: 'audio', audio: 'ftp://files.example/a.mp3' }, 'audio must be a valid URL'],
    [{ digit: '1', action: 'audio', audio: `${CLIP}?${'x'.repeat(2_048)}` }, 'audio must be a valid URL'],
    [{ digit: '1', action: 'audio', audio: CLIP, after: 'sing' }, 'after must be one of: hangup, repeat, back'],
    [{ digit: '1', action: 'audio', audio: CLIP, after: [] }, 'after must be one of: hangup, repeat, back'],
  ])('%j: %s', (row, fault) => {
    expect(rowFault(row)).toBe(`dtmf_flow.rows[0].${fault}`);
  });

  it('takes 3 fallbacks, 12 digits, 5 menus and 100 rows, and no more', () => {
    expect(faultOf({ rows: [{ ...transfer, fallback_numbers: Array(3).fill(NUMBER) }] })).toHaveProperty('rows');
    expect(faultOf({ rows: KEYS.map((digit) => ({ digit, action: 'record' })) })).toHaveProperty('rows');
    expect(faultOf({ rows: nested(5) })).toHaveProperty('rows');
    expect(faultOf({ rows: nested(6) })).toBe(
      'dtmf_flow.rows[0].rows[0].rows[0].rows[0].rows[0].rows is too deep: at most 5 menus',
    );
    const twelve = KEYS.map((digit) => ({ digit, action: 'record' }));
    const eight = (last: unknown[]): unknown[] => [
      ...KEYS.slice(0, 7).map((digit) => submenu(twelve, digit)),
      submenu(last, '8'),
    ];
    // 8 rows of the first menu, 7 × 12 in submenus, and 8 or 9 in the last
    expect(faultOf({ rows: eight(twelve.slice(0, 8)) })).toHaveProperty('rows');
    expect(faultOf({ rows: eight(twelve.slice(0, 9)) })).toBe(
      'dtmf_flow.rows[7].rows has too many rows: at most 100 in all',
    );
  });

  it('forwards only where the operator allows it', () => {
    const rules = { allowedPrefixes: ['91', '4420'] };
    expect(faultOf({ rows: [{ ...transfer, fallback_numbers: ['442012345678'] }] }, rules)).toHaveProperty('rows');
    expect(faultOf({ rows: [{ ...transfer, number: '441912345678' }] }, rules)).toBe(
      'dtmf_flow.rows[0].number is not allowed',
    );
    expect(faultOf({ rows: [{ ...transfer, fallback_numbers: ['15551234567'] }] }, rules)).toBe(
      'dtmf_flow.rows[0].fallback_numbers[0] is not allowed',
    );
  });

  it('never throws, and a fault names a path', () => {
    const row = fc.record(
      {
        digit: fc.oneof(fc.constantFrom(...KEYS), fc.jsonValue()),
        action: fc.oneof(fc.constantFrom('transfer', 'submenu', 'audio', 'record', 'back'), fc.jsonValue()),
        number: fc.oneof(fc.constant(NUMBER), fc.jsonValue()),
        fallback_numbers: fc.oneof(fc.array(fc.constant(NUMBER)), fc.jsonValue()),
        prompt_audio: fc.oneof(fc.constant(CLIP), fc.jsonValue()),
        audio: fc.oneof(fc.constant(CLIP), fc.jsonValue()),
        after: fc.oneof(fc.constantFrom('hangup', 'repeat', 'back'), fc.jsonValue()),
        rows: fc.jsonValue(),
      },
      { requiredKeys: ['digit', 'action'] },
    );
    const flow = fc.oneof(fc.anything(), fc.jsonValue(), fc.record({ rows: fc.array(row) }), fc.string());
    fc.assert(
      fc.property(flow, (value) => {
        const read = readMenu(value, ANY);
        if (!('fault' in read)) return read.rows === null || read.rows.length > 0;
        return read.fault === NOT_JSON || /^dtmf_flow\.rows(\[\d+\]|\.[a-z_]+)* [a-z]/.test(read.fault);
      }),
      { numRuns: 2_000 },
    );
  });
});
