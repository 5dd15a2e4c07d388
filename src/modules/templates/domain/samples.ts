import { placeholderNumbers } from './placeholders.js';

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
