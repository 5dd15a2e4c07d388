/** A text literally, for LIKE. */
export const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** What begins with a text, for LIKE: a range of an index. */
export const likePrefix = (text: string): string => `${likeLiteral(text)}%`;

/** How the beginning of a name may be written, where the index compares bytes: as typed, `anna`, `Anna` and `ANNA`. */
export function spellings(text: string): string[] {
  const lower = text.toLowerCase();
  const [first = '', ...rest] = lower;
  return [...new Set([text, lower, first.toUpperCase() + rest.join(''), text.toUpperCase()])];
}
