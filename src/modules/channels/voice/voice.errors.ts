import { AppError } from '../../../kernel/app-error.js';

/** Errors of voice sends: the texts of reference/voice#order come from the readers, literally; all are 400. */
export const voiceErrors = {
  invalid: (text: string) => new AppError('invalid', 'voice_request', text),
  noRoute: () => new AppError('unavailable', 'no_route', 'No route available for this channel'),
  insufficient: (required: number, available: number) =>
    new AppError(
      'invalid',
      'insufficient_credits',
      `Insufficient credits. Required: ${required}, Available: ${available}`,
    ),
};
