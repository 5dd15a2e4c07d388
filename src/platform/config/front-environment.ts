import type { z } from 'zod';
import { type Environment, environmentSchema, InvalidEnvironment, readVariables } from './environment.js';

/** Variables of the front: no databases or secrets of the cells. */
const frontSchema = environmentSchema.pick({
  NODE_ENV: true,
  HOST: true,
  PORT: true,
  LOG_LEVEL: true,
  METRICS_TOKEN: true,
  TRUST_PROXY: true,
  BODY_LIMIT: true,
  SHUTDOWN_DELAY: true,
  CELLS: true,
  NEW_ACCOUNTS: true,
  CELL_TOKEN: true,
  DIRECTORY_URL: true,
});

export type FrontEnvironment = z.infer<typeof frontSchema> &
  Pick<Environment, 'HOST'> & { CELL_TOKEN: string; DIRECTORY_URL: string };

/** @throws InvalidEnvironment with one line per faulty variable, without its value */
export function readFrontEnvironment(source: NodeJS.ProcessEnv = process.env): FrontEnvironment {
  const environment = readVariables(frontSchema, source);
  const { CELLS, CELL_TOKEN, DIRECTORY_URL, NEW_ACCOUNTS, NODE_ENV } = environment;
  const missing: string[] = [];
  if (CELLS.length === 0) missing.push('CELLS');
  if (CELL_TOKEN === undefined) missing.push('CELL_TOKEN');
  if (DIRECTORY_URL === undefined) missing.push('DIRECTORY_URL');
  if (CELL_TOKEN === undefined || DIRECTORY_URL === undefined || missing.length > 0) {
    const lines = missing.map((name) => `${name}: needed by the front`);
    throw new InvalidEnvironment(`The environment is not valid:\n  ${lines.join('\n  ')}`);
  }
  const weights = CELLS.map(({ cell }) => NEW_ACCOUNTS.get(cell) ?? 0);
  if (NEW_ACCOUNTS.size > 0 && weights.every((weight) => weight === 0)) {
    throw new InvalidEnvironment('The environment is not valid:\n  NEW_ACCOUNTS: names no cell of CELLS');
  }
  const HOST = environment.HOST ?? (NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1');
  return { ...environment, HOST, CELL_TOKEN, DIRECTORY_URL };
}
