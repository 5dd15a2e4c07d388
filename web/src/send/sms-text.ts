const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const EXTENSION = new Set('€[]{}\\^|~\f');

/** A text as SMS counts it while it is written; the price of the API is the one that counts. */
export interface SmsCount {
  encoding: 'GSM-7' | 'Unicode';
  length: number;
  parts: number;
  /** characters that make it Unicode, each once */
  unicode: string[];
}

/** Counts septets or UTF-16 units, and the parts that leave (reference/sms#encoding, #parts). */
export function countSms(text: string): SmsCount {
  const characters = Array.from(text);
  const unicode = [...new Set(characters.filter((one) => !BASIC.has(one) && !EXTENSION.has(one)))];
  if (unicode.length > 0)
    return { encoding: 'Unicode', length: text.length, parts: partsOf(text.length, 70, 67), unicode };
  const length = characters.reduce((sum, one) => sum + (EXTENSION.has(one) ? 2 : 1), 0);
  return { encoding: 'GSM-7', length, parts: partsOf(length, 160, 153), unicode };
}

const partsOf = (length: number, one: number, each: number): number =>
  length === 0 ? 0 : length <= one ? 1 : Math.ceil(length / each);

/** `ł (U+0142)` */
export const named = (character: string): string =>
  `${character} (U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')})`;
