/** The numbers of the placeholders of a text, `{{1}}` and so on, each once, ascending. */
export function placeholderNumbers(text: string): number[] {
  const numbers = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => Number(match[1])));
  return [...numbers].sort((a, b) => a - b);
}

/**
 * How many parameters a text takes: the number of its different placeholders (reference/template-messages#parameters).
 */
export const placeholders = (text: string): number => placeholderNumbers(text).length;

/**
 * The sample of the nth placeholder where the owner gave none (reference/templates#samples). @param position counted
 * from 1
 */
const madeSample = (position: number): string => `sample ${position}`;

/** One sample for each different placeholder of the body: the owner's, in ascending order, then made ones. */
export const bodySamples = (body: string, given: readonly string[]): string[] =>
  placeholderNumbers(body).map((_, index) => given[index] ?? madeSample(index + 1));

/** The sample of a text header's placeholder; null when it has none. */
export const headerSample = (text: string): string | null =>
  placeholderNumbers(text).length > 0 ? madeSample(1) : null;
