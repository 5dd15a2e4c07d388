import { invalid } from '../../kernel/define-error.js';
import { fieldErrors } from '../../kernel/field-errors.js';
import { BALANCES } from './domain/balances.js';

/** Errors of credits, wherever they are spent or shown. */
export const creditErrors = {
  insufficient: invalid(
    'insufficient_credits',
    (available: number, required: number) => `Insufficient credits. Available: ${available}, Required: ${required}`,
    'balance lower than the total',
  ).shown('X', 'Y'),
  /** the words of voice */
  insufficientForCalls: invalid(
    'insufficient_credits',
    (required: number, available: number) => `Insufficient credits. Required: ${required}, Available: ${available}`,
    'not enough voice_credits; no call is made. Less than one credit a contact is refused before the audio is made',
  ).shown('X', 'Y'),
  unknownBalance: invalid('unknown_balance', fieldErrors.noWord.shown('balance', BALANCES).text, 'another word'),
};
