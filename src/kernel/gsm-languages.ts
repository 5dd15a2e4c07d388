import { decodeGsm } from './gsm-alphabet.js';

/*
 * National language tables of GSM 03.38 (3GPP TS 23.038, annex A). Indian scripts lie in Unicode in one order, which these tables
 * follow: a script is its block, its last five letters, and the signs of its extension table.
 */

/** National language identifiers of a text's user data header; 0 = the default table. */
export interface GsmLanguage {
  /** element 25: replaces the basic table */
  locking: number;
  /** element 24: replaces the extension table */
  single: number;
}

/** Characters by their code. */
type Table = ReadonlyMap<number, string>;

interface Language {
  locking?: Table;
  single?: Table;
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SMALL = CAPITALS.toLowerCase();
const ESCAPE = 0x1b;
const NONE = ' ';

/** @param runs characters of successive codes from the code of their key on; a blank is none, but at code 20 */
function tableOf(runs: Readonly<Record<number, string | readonly string[]>>): Table {
  const table = new Map<number, string>();
  for (const [from, characters] of Object.entries(runs))
    for (const [index, character] of Array.from(characters).entries()) {
      const code = Number(from) + index;
      if (character !== NONE || code === 0x20) table.set(code, character);
    }
  table.delete(ESCAPE);
  return table;
}

const LATIN_SIGNS = { 0x0a: '\f', 0x14: '^', 0x28: '{}', 0x2f: '\\', 0x3c: '[~]', 0x40: '|', 0x65: '€' };

const TURKISH: Language = {
  locking: tableOf({
    0x00: '@£$¥€éùıòÇ\nĞğ\rÅåΔ_ΦΓΛΩΠΨΣΘΞ ŞşßÉ !"#¤%&\'()*+,-./0123456789:;<=>?',
    0x40: `İ${CAPITALS}ÄÖÑÜ§ç${SMALL}äöñüà`,
  }),
  single: tableOf({ ...LATIN_SIGNS, 0x47: 'Ğ', 0x49: 'İ', 0x53: 'Ş', 0x63: 'ç', 0x67: 'ğ', 0x69: 'ı', 0x73: 'ş' }),
};

const SPANISH: Language = {
  single: tableOf({
    ...LATIN_SIGNS,
    ...{ 0x09: 'ç', 0x41: 'Á', 0x49: 'Í', 0x4f: 'Ó', 0x55: 'Ú', 0x61: 'á', 0x69: 'í', 0x6f: 'ó', 0x75: 'ú' },
  }),
};

const PORTUGUESE: Language = {
  locking: tableOf({
    0x00: '@£$¥êéúíóç\nÔô\rÁáΔ_ªÇÀ∞^\\€Ó| ÂâÊÉ !"#º%&\'()*+,-./0123456789:;<=>?',
    0x40: `Í${CAPITALS}ÃÕÚÜ§~${SMALL}ãõ\`üà`,
  }),
  single: tableOf({
    ...LATIN_SIGNS,
    ...{ 0x05: 'ê', 0x09: 'ç', 0x0b: 'Ôô', 0x0e: 'Áá', 0x12: 'ΦΓ^ΩΠΨΣΘ', 0x1f: 'Ê' },
    ...{ 0x41: 'À', 0x49: 'Í', 0x4f: 'Ó', 0x55: 'Ú', 0x5b: 'ÃÕ', 0x61: 'Â', 0x69: 'í', 0x6f: 'ó', 0x75: 'ú' },
    ...{ 0x7b: 'ãõ', 0x7f: 'â' },
  }),
};

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const BEFORE_THE_SIGNS = '@£$¥¿"¤%&\'\f*+ -/<=>¡^¡_#*';
/** Codes of the extension table that differ by script. */
const SIGN_CODES = [0x19, 0x1a, ...range(0x1c, 0x27), ...range(0x2a, 0x2e), ...range(0x30, 0x3b)];

const singleOf = (signs: readonly string[]): Table =>
  tableOf({
    ...{ 0x00: BEFORE_THE_SIGNS, 0x28: '{}', 0x2f: '\\', 0x3c: '[~] |', 0x41: CAPITALS, 0x65: '€' },
    ...Object.fromEntries(signs.map((sign, index): [string, string] => [String(SIGN_CODES[index]), sign])),
  });

/**
 * A script whose letters have the order of the Indian blocks.
 * @param last codes 60 and 7b to 7f of the basic table, as offsets in the block
 * @param signs behind the digits of the extension table, as offsets in the block
 * @param first in front of its digits
 */
function indian(block: number, last: readonly number[], signs: readonly number[], first = ['।', '॥']): Language {
  const at = (...offsets: number[]): string[] =>
    offsets.map((offset) => String.fromCodePoint(block + offset).replace(/\p{Cn}/u, NONE));
  const [small, ...end] = at(...last);
  const locking = tableOf({
    0x00: at(1, 2, 3, 5, 6, 7, 8, 9, 0x0a, 0x0b),
    0x0a: ['\n', ...at(0x0c, 0x0d), '\r', ...at(...range(0x0e, 0x1a)), NONE, ...at(...range(0x1b, 0x1e))],
    0x20: [' ', '!', ...at(...range(0x1f, 0x24)), ')', '(', ...at(0x25, 0x26), ',', ...at(0x27), '.', ...at(0x28)],
    0x30: [...Array.from('0123456789:;'), ...at(0x29, 0x2a, 0x2b), '?'],
    0x40: [...at(...range(0x2c, 0x39), ...range(0x3c, 0x4d)), small ?? NONE],
    0x61: SMALL,
    0x7b: end,
  });
  return { locking, single: singleOf([...first, ...at(...range(0x66, 0x6f), ...signs)]) };
}

const URDU: Language = {
  locking: tableOf({
    0x00: 'اآبٻڀپڦتۂٿ\nٹٽ\rٺټثجځڄڃڅچڇحخد ڌڈډڊ !ڏڍذرڑړ)(ڙز,ږ.ژ0123456789:;ښسش?',
    0x40: 'صضطظعفقکڪګگڳڱلمنںڻڼوۄەہھءیېے\u064d\u0650\u064f\u0657\u0654',
    0x61: SMALL,
    0x7b: '\u0655\u0651\u0653\u0656\u0670',
  }),
  single: new Map([
    [0x3f, '۔'],
    ...singleOf(
      Array.from(
        '\u0600\u0601۰۱۲۳۴۵۶۷۸۹،\u060d\u060e\u060f\u0610\u0611\u0612\u0613\u0614\u061b\u061f\u0640\u0652\u0658' +
          '\u066b\u066c\u0672\u0673\u06cd',
      ),
    ),
  ]),
};

/** By identifier. */
const LANGUAGES: Readonly<Record<number, Language>> = {
  1: TURKISH,
  2: SPANISH,
  3: PORTUGUESE,
  // Bengali, Gujarati, Hindi, Kannada, Malayalam, Oriya, Punjabi, Tamil, Telugu
  4: indian(0x980, [0x4e, 0x57, 0x5c, 0x5d, 0x70, 0x71], [0x5f, ...range(0x60, 0x63), ...range(0x72, 0x7a)], []),
  5: indian(0xa80, [0x50, 0x60, 0x61, 0x62, 0x63, 0x71], []),
  6: indian(0x900, [0x50, 0x72, 0x7b, 0x7c, 0x7e, 0x7f], [...range(0x51, 0x54), ...range(0x58, 0x63), 0x70, 0x71]),
  7: indian(0xc80, [0x55, 0x56, 0x60, 0x61, 0x62, 0x63], [0x5e, 0x71, 0x72]),
  8: indian(0xd00, [0x57, 0x60, 0x61, 0x62, 0x63, 0x79], [...range(0x70, 0x75), ...range(0x7a, 0x7f)]),
  9: indian(0xb00, [0x56, 0x57, 0x60, 0x61, 0x62, 0x63], [0x5c, 0x5d, 0x5f, 0x70, 0x71]),
  10: indian(0xa00, [0x51, 0x70, 0x71, 0x72, 0x73, 0x74], [0x59, 0x5a, 0x5b, 0x5c, 0x5e, 0x75]),
  11: indian(0xb80, [0x50, 0x57, 0x70, 0x71, 0x72, 0x79], [...range(0x73, 0x78), 0x7a]),
  12: indian(0xc00, [0x55, 0x56, 0x60, 0x61, 0x62, 0x63], [0x58, 0x59, ...range(0x78, 0x7f)], [NONE, NONE]),
  13: URDU,
};

/** Reads unpacked codes with the tables of a language; an unknown identifier means the default table. */
export const decodeGsmIn = (bytes: Uint8Array, { locking, single }: GsmLanguage): string =>
  decodeGsm(bytes, LANGUAGES[locking]?.locking, LANGUAGES[single]?.single);
