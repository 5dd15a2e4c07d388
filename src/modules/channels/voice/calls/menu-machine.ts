import type { CallEvent, CallStep } from '../../../providers/index.js';
import { keysOf, type MenuRow, rowsAt } from '../domain/menu.js';

/** What a call follows; none of it changes while it lasts. */
export interface CallScript {
  /** the campaign's audio: the prompt of the first menu */
  audio: string;
  /** rows of the first menu; null = the audio is all there is */
  menu: readonly MenuRow[] | null;
  /** digits shown to those who are forwarded to; '' = the route's own number */
  callerId: string;
  /** a forwarded leg ends after this */
  maxSeconds: number;
}

/** Where a call stands: what it waits for. `path` = indices of the submenus that lead to the menu; `[]` is the first. */
export type CallPosition =
  | { at: 'start' }
  /** `again` = the prompt has been repeated: the next silence or wrong key ends the call */
  | { at: 'menu'; path: number[]; again: boolean }
  | { at: 'clip'; path: number[]; row: number }
  /** `tried` = index of the number that is called now */
  | { at: 'transfer'; path: number[]; row: number; tried: number }
  | { at: 'recording'; path: number[]; row: number }
  | { at: 'end' };

export const START: CallPosition = { at: 'start' };

/** What comes next, and where the call stands then. */
export interface CallMove {
  position: CallPosition;
  step: CallStep;
}

/** How long a menu waits for a key once its prompt is over. */
export const MENU_SECONDS = 5;
/** Longest answer that is recorded. */
export const RECORD_SECONDS = 120;

const END: CallMove = { position: { at: 'end' }, step: { do: 'hangup' } };

/**
 * The keypad menu as a machine (reference/voice#dtmf_flow): pure, so that any instance may take the next move. An event
 * that does not fit the position ends the call. Menus are walked by path and never by recursion, so every script,
 * however nested, ends as soon as the callee is silent.
 */
export function nextMove(script: CallScript, position: CallPosition, event: CallEvent): CallMove {
  switch (position.at) {
    case 'start':
      return event.kind === 'answered' ? begin(script) : END;
    case 'menu':
      return event.kind === 'digits' ? pressed(script, position, event.digits) : END;
    case 'clip':
      return event.kind === 'played' ? afterClip(script, position) : END;
    case 'transfer':
      return event.kind === 'dialed' && event.outcome !== 'completed'
        ? dial(script, { ...position, tried: position.tried + 1 })
        : END;
    case 'recording':
    case 'end':
      return END;
  }
}

function begin(script: CallScript): CallMove {
  if (script.menu !== null) return menu(script, []);
  return { position: { at: 'end' }, step: { do: 'play', audio: script.audio, then: 'hangup' } };
}

/** Presents a menu: its prompt, then a time for one key. */
function menu(script: CallScript, path: number[], again = false): CallMove {
  const rows = script.menu ?? [];
  const parent = rowsAt(rows, path.slice(0, -1))[path.at(-1) ?? -1];
  const prompt = parent?.action === 'submenu' ? parent.prompt : script.audio;
  return {
    position: { at: 'menu', path, again },
    step: { do: 'menu', prompt, digits: keysOf(rowsAt(rows, path)), timeoutSeconds: MENU_SECONDS },
  };
}

function pressed(script: CallScript, { path, again }: Extract<CallPosition, { at: 'menu' }>, digits: string): CallMove {
  const rows = rowsAt(script.menu ?? [], path);
  const index = rows.findIndex(({ digit }) => digit === digits);
  const row = rows[index];
  // Silence or a wrong key: the prompt once more, then the end (reference/voice#dtmf_flow).
  if (!row) return again ? END : menu(script, path, true);
  switch (row.action) {
    case 'transfer':
      return dial(script, { at: 'transfer', path, row: index, tried: 0 });
    case 'submenu':
      return menu(script, [...path, index]);
    case 'audio': {
      const { audio } = row;
      if (row.after === 'hangup') return { position: { at: 'end' }, step: { do: 'play', audio, then: 'hangup' } };
      return { position: { at: 'clip', path, row: index }, step: { do: 'play', audio, then: 'continue' } };
    }
    case 'record':
      return { position: { at: 'recording', path, row: index }, step: { do: 'record', maxSeconds: RECORD_SECONDS } };
    case 'back':
      return menu(script, path.slice(0, -1));
  }
}

/** `repeat` presents the menu again in which the clip was chosen, `back` the one above it (the first has none above). */
function afterClip(script: CallScript, { path, row: index }: Extract<CallPosition, { at: 'clip' }>): CallMove {
  const row = rowsAt(script.menu ?? [], path)[index];
  if (row?.action !== 'audio' || row.after === 'hangup') return END;
  return menu(script, row.after === 'back' ? path.slice(0, -1) : path);
}

/** The next number of a transfer; none left: the end. */
function dial(script: CallScript, position: Extract<CallPosition, { at: 'transfer' }>): CallMove {
  const row = rowsAt(script.menu ?? [], position.path)[position.row];
  const number = row?.action === 'transfer' ? row.numbers[position.tried] : undefined;
  if (number === undefined) return END;
  return { position, step: { do: 'dial', number, callerId: script.callerId, maxSeconds: script.maxSeconds } };
}
