import type { MenuRow } from './menu.js';

/** A clip that a menu plays. */
export interface MenuClip {
  url: string;
  /** path to it in the request: `dtmf_flow.rows[1].audio` */
  at: string;
}

/** Every clip of a menu, in its order; only rows of `dtmf_flow` have any, and they are the first. */
export function clipsOf(rows: readonly MenuRow[], path = 'dtmf_flow.rows'): MenuClip[] {
  return rows.flatMap((row, index): MenuClip[] => {
    const at = `${path}[${index}]`;
    if (row.action === 'audio') return [{ url: row.audio, at: `${at}.audio` }];
    if (row.action !== 'submenu') return [];
    return [{ url: row.prompt, at: `${at}.prompt_audio` }, ...clipsOf(row.rows, `${at}.rows`)];
  });
}

/** The menu with the clips that are kept in place of the addresses that were supplied, which stay as `source`. */
export function withClips(rows: readonly MenuRow[], keptAt: (url: string) => string): MenuRow[] {
  return rows.map((row) => {
    if (row.action === 'audio') return { ...row, audio: keptAt(row.audio), source: row.audio };
    if (row.action !== 'submenu') return row;
    return { ...row, prompt: keptAt(row.prompt), source: row.prompt, rows: withClips(row.rows, keptAt) };
  });
}
