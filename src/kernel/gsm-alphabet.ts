// GSM 03.38 (3GPP TS 23.038): the 7-bit default alphabet and its extension table; the index in the string is the code.
// 0x1b is the escape to the extension table and is not a character.
const ESCAPE = 0x1b;
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENSION: Readonly<Record<string, number>> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
};

// Code of each UTF-16 unit: 0–127 basic table, 256 + code extension table, -1 no GSM character. An array keeps pricing fast.
const CODES = new Int16Array(0x10000).fill(-1);
for (let code = 0; code < BASIC.length; code++) if (code !== ESCAPE) CODES[BASIC.charCodeAt(code)] = code;
for (const [character, code] of Object.entries(EXTENSION)) CODES[character.charCodeAt(0)] = 256 + code;

/** True if every character is in the basic or the extension table (reference/sms#encoding); also for empty text. */
export const isGsmText = (text: string): boolean => gsmLength(text) >= 0;

/** Length in septets; -1 if a character is not in the alphabet. */
export function gsmLength(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = CODES[text.charCodeAt(i)] as number;
    if (code < 0) return -1;
    if (code >= 256) count++;
  }
  return count;
}

/** Length of GSM text in septets; extension characters count two. Check other text with {@link isGsmText} first. */
export function septets(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((CODES[text.charCodeAt(i)] as number) >= 256) count++;
  return count;
}

/** GSM text as unpacked codes, one byte a septet, as SMPP carries it. Throws RangeError for other characters. */
export function encodeGsm(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(septets(text));
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const code = CODES[text.charCodeAt(i)] as number;
    if (code < 0) throw new RangeError('Not a character of the GSM alphabet');
    if (code >= 256) bytes[at++] = ESCAPE;
    bytes[at++] = code & 0x7f;
  }
  return bytes;
}

const BASIC_CHARACTERS = new Map(Array.from(BASIC, (character, code) => [code, character]));
const EXTENSION_CHARACTERS = new Map(Object.entries(EXTENSION).map(([character, code]) => [code, character]));

/**
 * Reads unpacked codes; as the standard requires, an unknown extension code is basic, a trailing escape a space.
 * @param basic characters by code, such as those of a national language; a code without one is a space
 */
export function decodeGsm(
  bytes: Uint8Array,
  basic: ReadonlyMap<number, string> = BASIC_CHARACTERS,
  extension: ReadonlyMap<number, string> = EXTENSION_CHARACTERS,
): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) {
    const code = (bytes[i] as number) & 0x7f;
    if (code !== ESCAPE) text += basic.get(code) ?? ' ';
    else if (++i >= bytes.length) text += ' ';
    else {
      const extended = (bytes[i] as number) & 0x7f;
      text += extension.get(extended) ?? (extended === ESCAPE ? ' ' : (basic.get(extended) ?? ' '));
    }
  }
  return text;
}

/** The different characters (code points) outside the GSM alphabet, in order of first appearance. */
export function nonGsmCharacters(text: string): string[] {
  const found = new Set<string>();
  for (const character of text) {
    if (character.length > 1 || (CODES[character.charCodeAt(0)] as number) < 0) found.add(character);
  }
  return [...found];
}
