import { type Figure, FIGURES } from '../../traffic/index.js';

/** delayMs is delay_ms, within5s is within_5s. */
const columnOf = (figure: Figure): string =>
  figure.replaceAll(/[A-Z]|(?<=within)\d+/g, (part) => `_${part.toLowerCase()}`);

export const COLUMNS: readonly string[] = FIGURES.map(columnOf);

/** SQL: every figure added up, under its own name. */
export const SUMS = FIGURES.map((figure, index) => `SUM(${COLUMNS[index]}) AS ${figure}`).join(', ');
