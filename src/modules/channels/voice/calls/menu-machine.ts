import type { CallEvent, CallStep } from '../../../providers/index.js';
import { keysOf, type MenuRow, rowsAt } from '../domain/menu.js';

/** The script of a call; constant during the call. */
export interface CallScript {
  /** the campaign's audio: the prompt of the first menu */
  audio: string;
  /** rows of the first menu; null = only the audio */
  menu: readonly MenuRow[] | null;
  /** shown to forwarded legs, digits; '' = the route's own number */
  callerId: string;
  /** limit of a forwarded leg */
  maxSeconds: number;
}

/** The position of a call. `path` = indices of the submenus that lead to the menu; `[]` = the first menu. */
export type CallPosition =
  | { at: 'start' }
  /** `again` = the prompt was repeated: the next silence or wrong key ends the call */
  | { at: 'menu'; path: number[]; again: boolean }
  | { at: 'clip'; path: number[]; row: number }
  /** `tried` = index of the number being called */
  | { at: 'transfer'; path: number[]; row: number; tried: number }
  | { at: 'recording'; path: number[]; row: number }
  | { at: 'end' };

export const START: CallPosition = { at: 'start' };

export interface CallMove {
  position: CallPosition;
  step: CallStep;
}

const MENU_SECONDS = 5;
const RECORD_SECONDS = 120;

const END: CallMove = { position: { at: 'end' }, step: { do: 'hangup' } };

/**
 * The keypad menu as a pure state machine (reference/voice#dtmf_flow), so that any instance can make the next move.
 * An event that does not fit the position ends the call. Every script ends when the callee is silent.
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
  // Silence or a wrong key repeats the prompt once, then ends the call (reference/voice#dtmf_flow).
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

/** `repeat` presents the clip's menu again, `back` the menu above it. */
function afterClip(script: CallScript, { path, row: index }: Extract<CallPosition, { at: 'clip' }>): CallMove {
  const row = rowsAt(script.menu ?? [], path)[index];
  if (row?.action !== 'audio' || row.after === 'hangup') return END;
  return menu(script, row.after === 'back' ? path.slice(0, -1) : path);
}

function dial(script: CallScript, position: Extract<CallPosition, { at: 'transfer' }>): CallMove {
  const row = rowsAt(script.menu ?? [], position.path)[position.row];
  const number = row?.action === 'transfer' ? row.numbers[position.tried] : undefined;
  if (number === undefined) return END;
  return { position, step: { do: 'dial', number, callerId: script.callerId, maxSeconds: script.maxSeconds } };
}
