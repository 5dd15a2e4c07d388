/** What every own door reads alike (docs/reference/numbers.md). */
export const READ: readonly (readonly [given: string, digits: string])[] = [
  ['+919812345678', '919812345678'],
  ['0091 98123-45678', '919812345678'],
  ['+44 (0)7911 000012', '447911000012'],
  ['９１９８１２３４５６７８', '919812345678'],
  ['\u200E(+91) 98123.45678\u200F', '919812345678'],
  ["'919812345678", '919812345678'],
  ['+91\u00A098123\u202F45678', '919812345678'],
  ['٠٠٩١٩٨١٢٣٤٥٦٧٨', '919812345678'],
];
/** What every own door refuses, with the reason. */
export const REFUSED: readonly (readonly [given: string, reason: string])[] = [
  ['919812345678.0', 'looks like a decimal of a spreadsheet'],
  ['9.198000012E+11', 'is in the exponent notation of a spreadsheet, which loses digits'],
  ['9800000012 / 9800000013', 'holds two numbers in one cell'],
  ['+1 415 555 2671 ext. 5', 'has an extension'],
  ['+1 415 555 2671 x12', 'has an extension'],
  ['0919812345678', 'has a leading zero that no country explains: write it with + and its country code'],
  ['9１9８1２3４5６7８', 'mixes digits of several scripts'],
  ['1234567', 'has fewer than 8 digits'],
  ['919812345678,00', 'looks like a decimal of a spreadsheet'],
  ['9,19812345678E+11', 'is in the exponent notation of a spreadsheet, which loses digits'],
  ['919812345678,919812345679', 'holds two numbers in one cell'],
  ['+91-98123--45678', 'has signs that do not separate groups of digits'],
  ['+919812345678;ext=5', 'has an extension'],
  ['2026-11-27', 'looks like a date'],
  ['192.168.100.200', 'looks like an IP address: write it with + if it is a number'],
  ['919812345678 12', 'has signs that do not separate groups of digits'],
];
/** What every own door reads with the country IN. */
export const NATIONAL: readonly (readonly [given: string, digits: string])[] = [
  ['09812345678', '919812345678'],
  ['98123 45678', '919812345678'],
  ['(0)98123-45678', '919812345678'],
  ['919812345678', '919812345678'],
  ['+447911000012', '447911000012'],
];
