import { QueryFailedError } from 'typeorm';
import type { AppError } from '../../kernel/app-error.js';
import { isConnectionFault } from './error-answer.js';

/**
 * Gives a statement that the database refused the endpoint's own text (reference/requests#error-bodies); the refusal
 * itself stays as the cause, for the log. An unreachable database and every other fault pass as they are.
 */
export async function namingQueryFaults<T>(failure: () => AppError, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof QueryFailedError) || isConnectionFault(error)) throw error;
    throw Object.assign(failure(), { cause: error });
  }
}
