import { normalIpRange } from '../../../platform/security/index.js';
import { accountErrors } from '../domain/account.errors.js';

const MOST_RANGES = 100;

/**
 * Addresses and ranges in canonical form, each once.
 * @param field by which the request names them
 * @throws AppError 400 naming the first that is none, or when there are over 100
 */
export function readIpRanges(field: string, texts: readonly string[]): string[] {
  if (texts.length > MOST_RANGES) throw accountErrors.tooManyIpRanges(field, MOST_RANGES);
  const ranges = texts.map((text, index) => {
    const range = normalIpRange(text);
    if (range === null) throw accountErrors.ipRange(field, index);
    return range;
  });
  return [...new Set(ranges)];
}
