/** What makes a number an amount, which is said as one. */
const CURRENCY = String.raw`[₹$€£¥]|\b(?:rs\.?|inr|usd|eur|gbp|aed)`;

/**
 * Runs of four digits or more, in any script: one-time passwords, order and telephone numbers. Not amounts (`Rs 5000`,
 * `$1500`), not parts of grouped or decimal numbers (`1,0000.2500`, `10:3000`), not the years of dates (`21-11-2026`).
 */
const SPELLED = new RegExp(
  String.raw`(?<!\p{Nd}|\p{Nd}[.,:]|[-/.]\p{Nd}{1,2}[-/.]|(?:${CURRENCY})\s?)\p{Nd}{4,}(?!\p{Nd}|[.,:]\p{Nd}|[-/.]\p{Nd}{1,2}[-/.])`,
  'giu',
);

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * The text as the engine is to say it. Long digit runs are said digit by digit with a short pause after each, since
 * `482913` is to be typed, not counted; what the engine would take for mark-up or phonemes is said as text; characters
 * that are none (controls, lone surrogates) are left out.
 */
export function spokenText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\ufeff]+/gu, (run) => (run.includes('\n') ? '\n' : ' '))
    .replace(SPELLED, (digits) => ` ${Array.from(digits).join(', ')} `)
    .replace(/\[(?=\[)/g, '[ ')
    .replace(/[&<>]/g, (character) => MARKUP[character] ?? ' ');
}
