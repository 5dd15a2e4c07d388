import { AppError } from '../../kernel/app-error.js';

/** The text of every 429 (decisions §3). */
export const TOO_MANY_TEXT = 'Too many requests. Please try again later.';

/** The error of every limit. @param retryAfterSeconds becomes the `Retry-After` header */
export const tooMany = (retryAfterSeconds: number): AppError =>
  new AppError('too_many', 'too_many_requests', TOO_MANY_TEXT, Math.max(1, Math.ceil(retryAfterSeconds)));
