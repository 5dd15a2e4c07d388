/** `receipts_silent` → `Receipts silent`. */
export function wordsOf(kind: string): string {
  const words = kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
