import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NUMBER_REFUSALS, type NumberPlan, personKey, readNumber, spellingsOf } from './phone-numbers.js';

const IN = '919812345678';
const GB = '447911000012';

const READ: readonly (readonly [given: unknown, digits: string])[] = [
  // as it is
  [IN, IN],
  [919_812_345_678, IN],
  ['12345678', '12345678'],
  ['123456789012345', '123456789012345'],
  ['4155552671', '4155552671'],
  // one leading + or 00
  ['+919812345678', IN],
  ['+ 919812345678', IN],
  ['00919812345678', IN],
  ['00 91 98123 45678', IN],
  ['00-91-98123-45678', IN],
  ['(+91) 98123 45678', IN],
  ['+(91) 98123 45678', IN],
  ['(0091) 98123 45678', IN],
  ['(+91 98123 45678)', IN],
  // single blanks of every kind
  ['91 98123 45678', IN],
  ['9 1 9 8 1 2 3 4 5 6 7 8', IN],
  ['91\u00A098123\u00A045678', IN],
  ['91\u200998123\u202F45678', IN],
  ['91\u300098123\u200345678', IN],
  ['91\t98123 45678', IN],
  [' 919812345678 ', IN],
  ['919812345678\n', IN],
  ['\r\n919812345678\r\n', IN],
  ['\u00A0919812345678\u2028', IN],
  // one kind of sign between groups
  ['+91-98123-45678', IN],
  ['91-98123-45678', IN],
  ['+91.98123.45678', IN],
  ['+91/98123/45678', IN],
  ['+91.9812345678', IN],
  ['+1.4155552671', '14155552671'],
  ['1.415.555.2671', '14155552671'],
  ['415.555.2671', '4155552671'],
  ['98.12.34.56.78', '9812345678'],
  ['+33 6.12.34.56.78', '33612345678'],
  ['919.812.345.678', IN],
  ['33.6.12.34.56.00', '33612345600'],
  ['98123-45678', '9812345678'],
  ['555.123.4567', '5551234567'],
  ['1.800.555.1234', '18005551234'],
  ['87.12.34.56', '87123456'],
  ['34.612.345.678', '34612345678'],
  ['+41.79.123.45.67', '41791234567'],
  ['+192.168.100.200', '192168100200'],
  ['192 168 100 200', '192168100200'],
  ['4915 1123 4567', '491511234567'],
  ['00 9198123456', '9198123456'],
  ['98123/45678', '9812345678'],
  ['+49 151/12345678', '4915112345678'],
  ['+49 89 12345-0', '4989123450'],
  ['+1 415-555-2671', '14155552671'],
  ['+91\u201198123\u201345678', IN],
  ['+91\u221298123\u221245678', IN],
  ['81\u30FC90\u30FC1234\u30FC5678', '819012345678'],
  // balanced brackets
  ['(415) 555-2671', '4155552671'],
  ['+1 (415) 555-2671', '14155552671'],
  ['+1(415)5552671', '14155552671'],
  ['+1-(415)-555-2671', '14155552671'],
  ['+91 ( 98123 ) 45678', IN],
  ['[91] 98123 45678', IN],
  ['(91)(98123)45678', IN],
  ['+91 98123 (45678901)', '919812345678901'],
  // one (0) behind a country code
  ['+44 (0)7911 000012', GB],
  ['+44 (0) 7911 000012', GB],
  ['+44(0)7911000012', GB],
  ['+44-(0)-7911-000012', GB],
  ['+44 [0]7911 000012', GB],
  ['+44 ( 0 ) 7911 000012', GB],
  ['0044 (0)7911 000012', GB],
  ['0044(0)7911000012', GB],
  ['44 (0)7911 000012', GB],
  ['(+44) (0)7911 000012', GB],
  ['+7 (0)912 345 67 89', '79123456789'],
  ['+353 (0)85 123 4567', '353851234567'],
  ['+４４ （０）７９１１ ００００１２', GB],
  // invisible marks, a leading apostrophe
  ['\u202A+919812345678\u202C', IN],
  ['\uFEFF919812345678', IN],
  ['91\u200B98123\u200D45678', IN],
  ['+91\u00AD9812345678', IN],
  ['\u2066919812345678\u2069', IN],
  ['919812345678\0', IN],
  ['91\u034F98123\u180E45678', IN],
  ["'919812345678", IN],
  ["'+91 98123 45678", IN],
  ["' 919812345678", IN],
  ['\u2019919812345678', IN],
  ['\u200E\u2018+919812345678', IN],
  // decimal digits of one script, and signs of that width
  ['９１９８１２３４５６７８', IN],
  ['＋９１－９８１２３－４５６７８', IN],
  ['＋９１　９８１２３　４５６７８', IN],
  ['+９１ (９８１２３) ４５６７８', IN],
  ['٩١٩٨١٢٣٤٥٦٧٨', IN],
  ['۹۱۹۸۱۲۳۴۵۶۷۸', IN],
  ['९१९८१२३४५६७८', IN],
  ['+৯১ ৯৮১২৩ ৪৫৬৭৮', IN],
  ['௯௧௯௮௧௨௩௪௫௬௭௮', IN],
  ['๙๑๙๘๑๒๓๔๕๖๗๘', IN],
  ['៩១៩៨១២៣៤៥៦៧៨', IN],
  ['𝟗𝟏𝟗𝟖𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖', IN],
  ['𝟿𝟷𝟿𝟾𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾', IN],
];

const REFUSED: readonly (readonly [given: unknown, refusal: keyof typeof NUMBER_REFUSALS])[] = [
  [undefined, 'missing'],
  [null, 'missing'],
  ['', 'missing'],
  [' \u200B\u00A0', 'missing'],
  ["'", 'missing'],
  [true, 'notText'],
  [{}, 'notText'],
  [['919812345678'], 'notText'],
  [2 ** 60, 'rounded'],
  [1e21, 'rounded'],
  [Number.NaN, 'rounded'],
  [-919_812_345_678, 'grouping'],
  ['+' + '9'.repeat(200), 'tooLong'],
  ['+', 'noDigits'],
  ['-', 'noDigits'],
  ['₉₁₉₈₁₂₃₄₅₆₇₈', 'noDigits'],
  // decimals
  ['919812345678.0', 'decimal'],
  ['919812345678.00', 'decimal'],
  ['919812345678,00', 'decimal'],
  ['919812345678,0', 'decimal'],
  ['919812345678.5', 'decimal'],
  ['919812345678.000', 'decimal'],
  ['919812345678.', 'decimal'],
  ['919.812.345.678,00', 'decimal'],
  ['919,812,345,678.00', 'decimal'],
  ['919.812.345.678.0', 'decimal'],
  ['919.812.345.678.00', 'decimal'],
  ['919 812 345 678,00', 'decimal'],
  ['+91 98123 45678.0', 'decimal'],
  ['9.19812345678', 'decimal'],
  ['919812345678.1234', 'decimal'],
  ['９１９８１２３４５６７８．０', 'decimal'],
  ['٩١٩٨١٢٣٤٥٦٧٨٫٠', 'decimal'],
  [919_812_345_678.5, 'decimal'],
  // exponents
  ['9.198000012E+11', 'exponent'],
  ['9.19812345678E+11', 'exponent'],
  ['9,198E+11', 'exponent'],
  ['9.198e11', 'exponent'],
  ['9E11', 'exponent'],
  ['919812345678e0', 'exponent'],
  ['9.198 E+11', 'exponent'],
  ['+9.198E+11', 'exponent'],
  ['９．１９８Ｅ＋１１', 'exponent'],
  ['9.198Е+11', 'exponent'],
  ['9.198x10^11', 'exponent'],
  ['9,198·10¹¹', 'exponent'],
  // two numbers
  ['9800000012 / 9800000013', 'several'],
  ['9800000012/9800000013', 'several'],
  ['9800000012/13', 'several'],
  ['9800000012 9800000013', 'several'],
  ['9800000012  9800000013', 'several'],
  ['9800000012,9800000013', 'several'],
  ['9800000012; 9800000013', 'several'],
  ['9800000012|9800000013', 'several'],
  ['9800000012\n9800000013', 'several'],
  ['9800000012 - 9800000013', 'several'],
  ['9800000012-9800000013', 'several'],
  ['9800000012 or 9800000013', 'several'],
  ['9800000012 & 9800000013', 'several'],
  ['+919800000012+919800000013', 'several'],
  ['9800000012、9800000013', 'several'],
  ['98000 00012 98000 00013', 'several'],
  ['mobile 9800000012, home 0809800001', 'several'],
  // letters and extensions
  ['+1 415 555 2671 ext. 5', 'extension'],
  ['+1 415 555 2671 x12', 'extension'],
  ['+14155552671ext5', 'extension'],
  ['+1 415 555 2671 extension 5', 'extension'],
  ['+1 415 555 2671 #5', 'extension'],
  ['4155552671*5', 'extension'],
  ['+7 495 123 45 67 доб. 12', 'extension'],
  ['+1 415 555 2671 (5)', 'extension'],
  ['1-800-FLOWERS', 'letters'],
  ['919812345678 (mobile)', 'letters'],
  ['tel:+919812345678', 'letters'],
  ['0x919812345678', 'letters'],
  ['91981234567O', 'letters'],
  ['n/a', 'letters'],
  ['91٩٨१२ABC', 'letters'],
  // scripts
  ['９1９8１2３4５6７8', 'scripts'],
  ['+91 ٩٨١٢٣٤٥٦٧٨', 'scripts'],
  ['٩١٩٨۱۲۳۴۵۶۷۸', 'scripts'],
  ['𝟗𝟏𝟿𝟾𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖', 'scripts'],
  // signs
  ['"919812345678"', 'signs'],
  ['="919812345678"', 'signs'],
  ['919812345678;', 'signs'],
  ['9198_1234_5678', 'signs'],
  ['91~9812345678', 'signs'],
  ['919812345678²', 'signs'],
  ['919,812,345,678', 'signs'],
  ['+1 415 555 2671, 1234', 'signs'],
  ['919812\n345678', 'signs'],
  ['91+9812345678', 'plus'],
  ['9812345678+', 'plus'],
  ['++919812345678', 'grouping'],
  ['-919812345678', 'grouping'],
  ['919812345678-', 'grouping'],
  ['91  98123 45678', 'grouping'],
  ['91--9812345678', 'grouping'],
  ['91 - 98123', 'grouping'],
  ['+1-415.555.2671', 'grouping'],
  ['91.98123/45678', 'grouping'],
  ['9800000012-13', 'grouping'],
  ['(919812345678', 'brackets'],
  ['919812345678)', 'brackets'],
  ['+91 )98123( 45678', 'brackets'],
  ['(91] 98123 45678', 'brackets'],
  ['((91)) 98123 45678', 'brackets'],
  ['+91 () 98123 45678', 'grouping'],
  ['26.11.2026', 'date'],
  ['26/11/2026', 'date'],
  ['2026-11-26', 'date'],
  ['9800000012 13', 'grouping'],
  ['919812345678 1', 'grouping'],
  ['+919812345678 1234', 'grouping'],
  ['192.168.100.200', 'address'],
  ['203.0.113.195', 'address'],
  ['10.0.0.255', 'address'],
  ['172.16.254.1', 'address'],
  ['255.255.255.255', 'address'],
  ['192.168.100.200/24', 'address'],
  ['192.168.100.200:8080', 'address'],
  ['１９２．１６８．１００．２００', 'address'],
  // zeros
  ['09812345678', 'trunkZero'],
  ['0919812345678', 'trunkZero'],
  ['(0)9812 345678', 'trunkZero'],
  ['(09812) 345678', 'trunkZero'],
  ['000919812345678', 'trunkZero'],
  ['+0919812345678', 'trunkZero'],
  ['+0091 98123 45678', 'trunkZero'],
  ['+44 07911 000012', 'trunkZero'],
  ['4407911000012', 'trunkZero'],
  ['+44 (07911) 000012', 'trunkZero'],
  ['+44 20 (0)7911 0000', 'trunkZero'],
  ['+44 (0)20 (0)7911 0000', 'trunkZero'],
  ['07911 (0)000012', 'trunkZero'],
  ['00000000000', 'trunkZero'],
  // length
  ['1234567', 'short'],
  ['+91 981', 'short'],
  [1234567, 'short'],
  ['1234567890123456', 'long'],
  ['+91 98123 45678 901 234', 'long'],
  ['98000000129800000013', 'long'],
];

it('has rows enough, each once', () => {
  const given = [...READ, ...REFUSED].map(([value]) => value);
  expect(new Set(given).size).toBe(given.length);
  expect(given.length).toBeGreaterThan(200);
});

it.each(READ)('reads %j as %s', (given, digits) => {
  expect(readNumber(given)).toEqual({ digits });
});

it.each(REFUSED)('refuses %j: %s', (given, refusal) => {
  expect(readNumber(given)).toEqual({ refused: NUMBER_REFUSALS[refusal] });
});

describe('with a plan', () => {
  /** Knows one trunk zero, one zero that belongs to the number, and one country. */
  const plan: NumberPlan = {
    behindCode: (digits) => (digits.startsWith('39') ? digits : digits === '4407911000012' ? GB : null),
    national: (digits) => ({ '09812345678': IN, '9812345678': IN, '5123456': '3725123456' })[digits] ?? null,
  };

  it.each([
    ['09812345678', IN],
    ['(0)98123 45678', IN],
    ['9812345678', IN],
    ['98123-45678', IN],
    [9_812_345_678, IN],
    ['512 3456', '3725123456'],
    [IN, IN],
    ['+919812345678', IN],
    ['+9812345678', '9812345678'],
    ['0091 98123 45678', IN],
    ['+44 07911 000012', GB],
    ['4407911000012', GB],
    ['+44 (0)7911 000012', GB],
    ['+39 06 1234 5678', '390612345678'],
    ['390612345678', '390612345678'],
    ['+39 (0)6 1234 5678', '390612345678'],
  ])('reads %j as %s', (given, digits) => {
    expect(readNumber(given, plan)).toEqual({ digits });
  });

  it.each(['09800000000', '+49 0151 12345678', '491 (0)511'])('refuses the zero of %j', (given) => {
    expect(readNumber(given, plan)).toEqual({ refused: NUMBER_REFUSALS.trunkZero });
  });
});

describe('whatever is given', () => {
  const written = fc.stringMatching(/^[+(]?[0-9()+\-./, eExX']{0,30}$/);

  it('is read as 8 to 15 digits, or refused in words', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string({ unit: 'binary' }), written), (given) => {
        const read = readNumber(given);
        if ('digits' in read) expect(read.digits).toMatch(/^[1-9][0-9]{7,14}$/);
        else expect(Object.values(NUMBER_REFUSALS)).toContain(read.refused);
      }),
      { numRuns: 3_000 },
    );
  });

  it('keeps every digit it has not named: only +, 00 and one (0) go', () => {
    fc.assert(
      fc.property(written, (given) => {
        const read = readNumber(given);
        if (!('digits' in read)) return;
        const all = given.replace(/[^0-9]/g, '').replace(/^00/, '');
        expect([
          all,
          given
            .replace(/\( ?0 ?\)/, '')
            .replace(/[^0-9]/g, '')
            .replace(/^00/, ''),
        ]).toContain(read.digits);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is read at once, however it is made', () => {
    const began = performance.now();
    for (const sign of ['(', ' ', '.', 'e', '-', '1', '1 ', '1.', '(0)', '/', 'x']) readNumber(`9${sign.repeat(198 / sign.length)}`); // prettier-ignore
    expect(performance.now() - began).toBeLessThan(200);
  });
});

describe('one person', () => {
  it.each([
    ['5511961234567', '551161234567'],
    ['5521998765432', '552198765432'],
    ['5215512345678', '525512345678'],
    ['5491123456789', '541123456789'],
  ])('has the numbers %s and %s', (long, short) => {
    expect(personKey(long)).toBe(personKey(short));
    expect(spellingsOf(long)).toEqual([long, short]);
    expect(spellingsOf(short)).toEqual([short, long]);
  });

  it.each([
    // the ninth digit was put before 6 to 9 only: without it these are numbers of homes
    ['5511941234567', '551141234567'],
    ['919812345678', '99812345678'],
    ['5411123456789', '541123456789'],
    ['US.13491208655302741918', '13491208655302741918'],
  ])('has not both %s and %s', (one, other) => {
    expect(personKey(one)).not.toBe(personKey(other));
    expect(spellingsOf(one)).toEqual([one]);
  });

  it('is the same, however often its spellings are looked up', () => {
    const digits = fc.oneof(fc.stringMatching(/^5[245][0-9]{9,12}$/), fc.stringMatching(/^[0-9]{8,15}$/));
    fc.assert(
      fc.property(digits, (number) => {
        const all = spellingsOf(number);
        expect(all.length).toBeLessThanOrEqual(2);
        for (const other of all) {
          expect(personKey(other)).toBe(personKey(number));
          expect(spellingsOf(other).toSorted()).toEqual(all.toSorted());
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
