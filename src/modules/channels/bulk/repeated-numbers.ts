/** Digits that a number of JavaScript tells apart, with a one before them that keeps leading zeros. */
const MOST_DIGITS = 15;
const ZERO = 48;

/** Numbers that stand in an earlier place too. */
export interface RepeatedNumbers {
  /** the first ones, each once, in the order in which they come again */
  repeated: string[];
  /** places whose number came before */
  duplicates: number;
}

/**
 * Finds what comes more than once. By sorting the numbers as numbers: the hashes of a hundred thousand texts take as long as
 * reading them does, and a hash of our own would be one that a sender can make collide.
 * @param most that are named
 */
export function repeatedNumbers(numbers: readonly string[], most: number): RepeatedNumbers {
  const { twice, duplicates } = alike(numbers);
  const found: RepeatedNumbers = { repeated: [], duplicates };
  if (twice.size === 0) return found;
  const seen = new Set<string>();
  for (const number of numbers) {
    if (found.repeated.length >= most || twice.size === 0) break;
    if (!twice.has(number)) continue;
    if (!seen.has(number)) {
      seen.add(number);
      continue;
    }
    found.repeated.push(number);
    twice.delete(number);
  }
  return found;
}

/** The numbers that come more than once, and how often they do so beyond the first time. */
function alike(numbers: readonly string[]): { twice: Set<string>; duplicates: number } {
  const values = new Float64Array(numbers.length);
  const others = new Set<string>();
  const twice = new Set<string>();
  let count = 0;
  let duplicates = 0;
  for (const number of numbers) {
    const value = valueOf(number);
    if (value !== 0) values[count++] = value;
    else if (others.has(number)) {
      twice.add(number);
      duplicates += 1;
    } else others.add(number);
  }
  const sorted = values.subarray(0, count).sort();
  for (let at = 1; at < count; at++) {
    const value = sorted[at];
    if (value !== sorted[at - 1]) continue;
    duplicates += 1;
    if (value !== sorted[at - 2]) twice.add(String(value).slice(1));
  }
  return { twice, duplicates };
}

/** The digits with a one before them; 0 = it is no number of as many digits. */
function valueOf(number: string): number {
  if (number.length > MOST_DIGITS) return 0;
  let value = 1;
  for (let at = 0; at < number.length; at++) {
    const digit = number.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return 0;
    value = value * 10 + digit;
  }
  return value;
}
