import { defineError } from '../../kernel/define-error.js';

/** The error of every limit. Its argument, how many seconds to wait, becomes the `Retry-After` header. */
export const tooMany = defineError<[seconds: number]>(
  'too_many',
  'too_many_requests',
  'Too many requests. Please try again later.',
  'over a limit',
  (seconds) => Math.max(1, Math.ceil(seconds)),
).with({ hint: 'Wait as many seconds as `Retry-After` says. One request of many numbers counts once.' });
