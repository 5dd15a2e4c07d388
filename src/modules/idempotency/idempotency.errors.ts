import { conflict, invalid, unprocessable } from '../../kernel/errors.js';
import { LONGEST_KEY } from './idempotent-request.js';

/**
 * Errors of `Idempotency-Key`, literally (reference/idempotency#errors). The header is validated before the body, reuse after
 * it.
 */
export const idempotencyErrors = {
  tooLong: invalid(
    'idempotency_key_too_long',
    `Idempotency-Key must be at most ${LONGEST_KEY} characters`,
    'a longer Idempotency-Key',
  ).with({ hint: 'A UUID will do.' }),
  otherBody: unprocessable(
    'idempotency_key_other_body',
    'Idempotency-Key was used with another body',
    'the key belongs to another request',
  ).with({
    hint: 'A key stands for one request for 24 hours: use a new key for another one, and the very same body to repeat.',
  }),
  running: conflict(
    'idempotency_key_running',
    'A request with this Idempotency-Key is still running',
    'the first request is not answered yet, or its outcome is unknown',
  ).with({
    hint: 'Ask again with the same key in a moment: it answers what the first request is answered. Use no new key, or the message may leave twice.',
  }),
};
