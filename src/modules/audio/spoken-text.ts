/** Languages of which the engine has a voice of that name. */
const VOICES = new Set(
  (
    'af am an ar as az ba be bg bn bs ca cs cv cy da de el en eo es et eu fa fi fo fr ga gd gn gu he hi hr ht hu hy ia ' +
    'id io is it ja ka kk kl kn ko ku ky la lb lt lv mi mk ml mr ms mt my nb ne nl om or pa pl pt py qu ro ru sd si sk ' +
    'sl sq sr sv sw ta te th ti tk tn tr tt ug uk ur uz vi'
  ).split(' '),
);

/**
 * Names that stand for a code: those of reference/voice#speech, and of the other languages of
 * reference/templates#languages.
 */
const NAMES: Readonly<Record<string, string>> = {
  bengali: 'bn',
  english: 'en',
  gujarati: 'gu',
  hebrew: 'he',
  hindi: 'hi',
  kannada: 'kn',
  malayalam: 'ml',
  marathi: 'mr',
  punjabi: 'pa',
  russian: 'ru',
  tamil: 'ta',
  telugu: 'te',
  urdu: 'ur',
};

/** Codes whose voice has another name at the engine. */
const RENAMED: Readonly<Record<string, string>> = { iw: 'he', in: 'id', no: 'nb', zh: 'cmn' };

const ENGLISH = 'en';

/** Every voice that `voiceOf` can give. */
export const SPOKEN_VOICES: readonly string[] = [...VOICES, ...Object.values(RENAMED)];

/**
 * The engine's voice for `language` (reference/voice#speech): hindi, hi, english, en, any two-letter code, also with a
 * region (`en_GB`, `hi-IN`); English when it is missing or unrecognized.
 */
export const voiceOf = (language: string | null): string => knownVoice(language ?? '') ?? ENGLISH;

/** Whether there is a voice for a `language`; other words are spoken in English. */
export const isSpokenLanguage = (language: string): boolean => knownVoice(language) !== null;

function knownVoice(language: string): string | null {
  const given = language.trim().toLowerCase();
  const code = NAMES[given] ?? /^([a-z]{2})(?:[-_][a-z0-9]+)*$/.exec(given)?.[1] ?? '';
  return VOICES.has(code) ? code : (RENAMED[code] ?? null);
}

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
