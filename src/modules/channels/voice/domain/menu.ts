/** What a callee may press. */
export const KEYS: readonly string[] = Array.from('0123456789*#');

/** `after` of a clip: what follows when it is over (reference/voice#dtmf_flow). */
export const AFTER_CLIP = ['hangup', 'repeat', 'back'] as const;
export type AfterClip = (typeof AFTER_CLIP)[number];

/**
 * One entry of a keypad menu (reference/voice#dtmf_flow). `source`: where the clip was fetched that stands in the menu,
 * which campaigns of earlier versions have not.
 */
export type MenuRow =
  /** forwards the call to the first number that answers */
  | { digit: string; action: 'transfer'; numbers: string[] }
  /** plays the prompt and waits for another key */
  | { digit: string; action: 'submenu'; prompt: string; source?: string; rows: MenuRow[] }
  | { digit: string; action: 'audio'; audio: string; source?: string; after: AfterClip }
  /** records what the callee says */
  | { digit: string; action: 'record' }
  /** to the menu above */
  | { digit: string; action: 'back' };

export const ACTIONS = ['transfer', 'submenu', 'audio', 'record', 'back'] as const satisfies MenuRow['action'][];

/** The rows at the end of a path: of the first menu (empty path), or of the submenu that its indices lead to. */
export function rowsAt(rows: readonly MenuRow[], path: readonly number[]): readonly MenuRow[] {
  let current = rows;
  for (const index of path) {
    const row = current[index];
    if (row?.action !== 'submenu') return [];
    current = row.rows;
  }
  return current;
}

/** The keys of a menu, in its order. */
export const keysOf = (rows: readonly MenuRow[]): string => rows.map(({ digit }) => digit).join('');
