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
export const priceOf = (text: string): SmsPrice => priceOfPieces([text]);

/** As `priceOf`, of a text in pieces. */
export function priceOfPieces(pieces: readonly string[]): SmsPrice {
  const septets = inGsm(pieces);
  const encoding: SmsEncoding = septets < 0 ? 'unicode' : 'gsm7';
  const length = septets < 0 ? unitsOf(pieces) : septets;
  const row = LONGEST[encoding].findIndex((longest) => length <= longest);
  return { encoding, length, credits: row < 0 ? null : row + 1 };
}

/** Septets of the whole text; -1 = it is none of the GSM alphabet. */
function inGsm(pieces: readonly string[]): number {
  let septets = 0;
  for (const piece of pieces) {
    const more = gsmLength(piece);
    if (more < 0) return -1;
    septets += more;
  }
  return septets;
}

const unitsOf = (pieces: readonly string[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0);
