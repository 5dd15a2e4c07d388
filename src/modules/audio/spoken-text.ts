/** Languages whose code is the engine's voice name. */
const VOICES = new Set(
  (
    'af am an ar as az ba be bg bn bs ca cs cv cy da de el en eo es et eu fa fi fo fr ga gd gn gu he hi hr ht hu hy ia ' +
    'id io is it ja ka kk kl kn ko ku ky la lb lt lv mi mk ml mr ms mt my nb ne nl om or pa pl pt py qu ro ru sd si sk ' +
    'sl sq sr sv sw ta te th ti tk tn tr tt ug uk ur uz vi'
  ).split(' '),
);

/** Names of languages, from reference/voice#speech and reference/templates#languages. */
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

/** Codes whose voice has another name in the engine. */
const RENAMED: Readonly<Record<string, string>> = { iw: 'he', in: 'id', no: 'nb', zh: 'cmn' };

const ENGLISH = 'en';

export const SPOKEN_VOICES: readonly string[] = [...VOICES, ...Object.values(RENAMED)];

/** The engine's voice for `language` (reference/voice#speech), also with a region (`en_GB`, `hi-IN`); English when unknown. */
export const voiceOf = (language: string | null): string => knownVoice(language ?? '') ?? ENGLISH;

/** Whether a voice exists for a `language`; others are spoken in English. */
export const isSpokenLanguage = (language: string): boolean => knownVoice(language) !== null;

function knownVoice(language: string): string | null {
  const given = language.trim().toLowerCase();
  const code = NAMES[given] ?? /^([a-z]{2})(?:[-_][a-z0-9]+)*$/.exec(given)?.[1] ?? '';
  return VOICES.has(code) ? code : (RENAMED[code] ?? null);
}

/** Marks of amounts, which are read as one number. */
const CURRENCY = String.raw`[₹$€£¥]|\b(?:rs\.?|inr|usd|eur|gbp|aed)`;

/** Runs of four digits or more in any script, except amounts (`Rs 5000`), parts of numbers (`1,0000.25`) and years of dates. */
const SPELLED = new RegExp(
  String.raw`(?<!\p{Nd}|\p{Nd}[.,:]|[-/.]\p{Nd}{1,2}[-/.]|(?:${CURRENCY})\s?)\p{Nd}{4,}(?!\p{Nd}|[.,:]\p{Nd}|[-/.]\p{Nd}{1,2}[-/.])`,
  'giu',
);

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * The text for the engine: long digit runs digit by digit with pauses, because people type them; mark-up and phonemes escaped;
 * control characters and lone surrogates removed.
 */
export function spokenText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\ufeff]+/gu, (run) => (run.includes('\n') ? '\n' : ' '))
    .replace(SPELLED, (digits) => ` ${Array.from(digits).join(', ')} `)
    .replace(/\[(?=\[)/g, '[ ')
    .replace(/[&<>]/g, (character) => MARKUP[character] ?? ' ');
}
