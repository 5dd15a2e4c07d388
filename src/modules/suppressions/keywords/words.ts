export const KEYWORD_ACTIONS = ['suppress', 'reply', 'event'] as const;
export type KeywordAction = (typeof KEYWORD_ACTIONS)[number];

/** What an account does with a text that is this word. */
export interface Keyword {
  /** as `wordOf` reads it */
  word: string;
  action: KeywordAction;
  reply: string | null;
}

/** Keywords of one account by word. */
export type Keywords = ReadonlyMap<string, Keyword>;

/** Command of an inbound text (reference/suppressions#stop-words). */
export type ConsentWord = 'stop' | 'start';

type BuiltIn = ConsentWord | 'help';

/** Without blanks: OPT OUT and OPTOUT are one. */
const STOP_WORDS = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'];

const BUILT_IN: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  ...STOP_WORDS.map((word): [string, BuiltIn] => [word, 'stop']),
  ['START', 'start'],
  ['UNSTOP', 'start'],
  ['HELP', 'help'],
]);

/** The word whose reply counts for all built-in words of its kind that have none of their own. */
const FIRST: Readonly<Record<BuiltIn, string>> = { stop: 'STOP', start: 'START', help: 'HELP' };

/** Also where it is spelt out (`S T O P`, `STOP ALL`) or repeated (`STOP STOP`). */
export const builtInOf = (word: string): BuiltIn | null =>
  BUILT_IN.get(word.replaceAll(' ', '').replace(/^(.+?)\1+$/, '$1')) ?? null;

const LONGEST_TEXT = 100;
/** Characters of a word, by which it is stored. */
export const LONGEST_WORD = 64;
/** Emoji go before the text is normalised: of `™` it would make letters. */
const EMOJI = /\p{Extended_Pictographic}|[\uFE00-\uFE0F\u20E3]/gu;
const NO_WORD = /[^\p{L}\p{M}\p{N}\s]/gu;

/** A whole text without marks, quotes and emoji, in capitals; '' when nothing is left, or the text is too long for a word. */
export function wordOf(text: string): string {
  if (text.length > LONGEST_TEXT) return '';
  const letters = text.replace(EMOJI, '').normalize('NFKC').replace(NO_WORD, '');
  // handsets set to Turkish write the capital of i with a dot
  const word = letters.replace(/\s+/g, ' ').trim().toUpperCase().normalize('NFC').replaceAll('İ', 'I');
  return word.length <= LONGEST_WORD ? word : '';
}

/** What a text means to the account that it is for. */
export interface Meaning {
  word: string;
  effect: ConsentWord | 'none';
  isBuiltIn: boolean;
  /** an answer that the account wants to be sent */
  reply: string | null;
}

/** @param own keywords of the account; built-in words keep their effect, and take its reply. @returns null = no keyword */
export function meaningOf(text: string, own: Keywords | undefined): Meaning | null {
  const word = wordOf(text);
  const [keyword, builtIn] = [own?.get(word), builtInOf(word)];
  if (word === '' || (!keyword && !builtIn)) return null;
  const reply = keyword?.reply ?? (builtIn ? (own?.get(FIRST[builtIn])?.reply ?? null) : null);
  const effect = builtIn ?? (keyword?.action === 'suppress' ? 'stop' : 'help');
  return { word, effect: effect === 'help' ? 'none' : effect, isBuiltIn: builtIn !== null, reply };
}

/** The consent that a text expresses, if any. */
export function consentWord(text: string, own?: Keywords): ConsentWord | null {
  const effect = meaningOf(text, own)?.effect ?? 'none';
  return effect === 'none' ? null : effect;
}
