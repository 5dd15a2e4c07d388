import { type Figure, FIGURES } from '../../traffic/index.js';

/** What a row is about: a route, an account, or a channel as a whole. */
export const SUBJECT_KINDS = { route: 'r', account: 'a', channel: 'c' } as const;

export type SubjectKind = (typeof SUBJECT_KINDS)[keyof typeof SUBJECT_KINDS];

/** delayMs is delay_ms, within5s is within_5s. */
const columnOf = (figure: Figure): string =>
  figure.replaceAll(/[A-Z]|(?<=within)\d+/g, (part) => `_${part.toLowerCase()}`);

export const COLUMNS: readonly string[] = FIGURES.map(columnOf);

/** SQL: every figure added up, under its own name. */
export const SUMS = FIGURES.map((figure, index) => `SUM(${COLUMNS[index]}) AS ${figure}`).join(', ');
