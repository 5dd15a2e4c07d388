/** The numbers of the placeholders of a text, `{{1}}` and so on, each once, ascending. */
export function placeholderNumbers(text: string): number[] {
  const numbers = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => Number(match[1])));
  return [...numbers].sort((a, b) => a - b);
}

/**
 * How many parameters a text takes: the number of its different placeholders (reference/template-messages#parameters).
 */
export const placeholders = (text: string): number => placeholderNumbers(text).length;
