/** What a key of a keypad menu does. */
export const ACTIONS = [
  ['transfer', 'Forward the call'],
  ['audio', 'Play a clip'],
  ['submenu', 'Open another menu'],
  ['record', 'Record what is said'],
  ['back', 'Go back to the menu above'],
] as const;

export type Action = (typeof ACTIONS)[number][0];

export const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '*', '#'] as const;
/** Menus below each other, the first counted. */
export const DEEPEST = 5;
export const MOST_FALLBACKS = 3;

/** A row of a menu as it is edited: fields of other actions stay, and are not sent. */
export interface MenuRow {
  /** of this page alone */
  key: string;
  digit: string;
  action: Action;
  number: string;
  fallbacks: string;
  clip: string;
  after: 'hangup' | 'repeat' | 'back';
  prompt: string;
  rows: readonly MenuRow[];
}

let last = 0;

/** A row for the first key that no other row of its menu has. */
export function newRow(rows: readonly MenuRow[]): MenuRow {
  last += 1;
  const digit = KEYS.find((key) => rows.every((row) => row.digit !== key)) ?? '1';
  return {
    key: String(last),
    digit,
    action: 'transfer',
    number: '',
    fallbacks: '',
    clip: '',
    after: 'hangup',
    prompt: '',
    rows: [],
  };
}

/** The rows as the API takes them. */
export const rowsOf = (rows: readonly MenuRow[]): object[] =>
  rows.map((row) => {
    const { digit, action } = row;
    if (action === 'transfer') {
      const fallbacks = row.fallbacks
        .split(/[\s,;]+/)
        .filter((number) => number !== '')
        .slice(0, MOST_FALLBACKS);
      return { digit, action, number: row.number, ...(fallbacks.length > 0 && { fallback_numbers: fallbacks }) };
    }
    if (action === 'audio') return { digit, action, audio: row.clip, after: row.after };
    if (action === 'submenu') return { digit, action, prompt_audio: row.prompt, rows: rowsOf(row.rows) };
    return { digit, action };
  });
