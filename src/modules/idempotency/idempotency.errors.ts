import { AppError } from '../../kernel/app-error.js';
import { LONGEST_KEY } from './domain/idempotent-request.js';

export const KEY_TEXTS = {
  tooLong: `Idempotency-Key must be at most ${LONGEST_KEY} characters`,
  otherBody: 'Idempotency-Key was used with another body',
  running: 'A request with this Idempotency-Key is still running',
} as const;

/** Errors of `Idempotency-Key` (reference/idempotency#errors), literally. */
export const idempotencyErrors = {
  tooLong: () => new AppError('invalid', 'idempotency_key_too_long', KEY_TEXTS.tooLong),
  otherBody: () => new AppError('unprocessable', 'idempotency_key_other_body', KEY_TEXTS.otherBody),
  running: () => new AppError('conflict', 'idempotency_key_running', KEY_TEXTS.running),
};
