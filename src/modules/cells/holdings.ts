import type { CellName } from '../cell-directory/index.js';

/** What the front wants to know of a cell, and what the cell answers: those of them that it has. */
export interface Holdings {
  request_ids: string[];
  /** SHA-256 in hexadecimal digits, as they are stored */
  api_keys: string[];
  names: CellName[];
}

/** Of each list; the front asks for no more. */
export const MOST_ASKED = 500;
