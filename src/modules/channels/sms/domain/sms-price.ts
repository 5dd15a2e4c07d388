import { gsmLength } from '../../../../kernel/gsm-alphabet.js';

/** How a text is counted (reference/sms#encoding): `gsm7` in septets, `unicode` in UTF-16 code units. */
export type SmsEncoding = 'gsm7' | 'unicode';

/** What a text costs one recipient. */
export interface SmsPrice {
  encoding: SmsEncoding;
  /** septets (extension characters count 2) or UTF-16 code units */
  length: number;
  /** credits per contact; null = longer than the table goes: `Message is too long` */
  credits: number | null;
}

/**
 * Longest text for 1, 2, 3 … credits: the table of reference/sms#prices, literally. It is not a count of wire segments
 * (134 Unicode units are 3 credits although 67 a part would give 2).
 */
const LONGEST: Record<SmsEncoding, readonly number[]> = {
  gsm7: [160, 306, 459, 612],
  unicode: [70, 133, 199, 265, 331],
};

/** Prices a text by the table of reference/sms#prices. Never throws; an empty text counts as one message. */
export function priceOf(text: string): SmsPrice {
  const septets = gsmLength(text);
  const encoding: SmsEncoding = septets < 0 ? 'unicode' : 'gsm7';
  const length = septets < 0 ? text.length : septets;
  return { encoding, length, credits: creditsFor(encoding, length) };
}

/**
 * The credits of a text in parts, as `priceOf` has them.
 * @param around is the same for each recipient of a send
 */
export function creditsOf(around: string, values: readonly string[]): number | null {
  const septets = inGsm(around, values);
  if (septets >= 0) return creditsFor('gsm7', septets);
  let units = around.length;
  for (const value of values) units += value.length;
  return creditsFor('unicode', units);
}

function creditsFor(encoding: SmsEncoding, length: number): number | null {
  const row = LONGEST[encoding].findIndex((longest) => length <= longest);
  return row < 0 ? null : row + 1;
}

/** Septets of the whole text; -1 = it is none of the GSM alphabet. */
function inGsm(around: string, values: readonly string[]): number {
  if (counted.text !== around) counted = { text: around, septets: gsmLength(around) };
  let { septets } = counted;
  if (septets < 0) return -1;
  for (const value of values) {
    const more = gsmLength(value);
    if (more < 0) return -1;
    septets += more;
  }
  return septets;
}

/** The text of recipients before, which mostly is that of the next ones. */
let counted = { text: '', septets: 0 };
