import { AppError } from '../../../kernel/app-error.js';
import { creditErrors } from '../../credits/index.js';

/**
 * The balance does not pay for the campaign; in the words of every channel but voice, which has its own
 * (reference/credits#debits).
 */
export class InsufficientCredits extends AppError {
  constructor(
    readonly available: number,
    readonly required: number,
  ) {
    const { kind, code, message } = creditErrors.insufficient(available, required);
    super(kind, code, message);
  }
}

/** Thrown inside the transaction to roll all of it back: somebody else spent the credits since they were read. */
export class Outspent extends Error {}
