import { type DocumentedError, unprocessable, upstream } from '../../../../kernel/define-error.js';
import { providerErrorText } from './error-codes.js';

/** Silence, a fault of the provider, or an answer that is none (reference/session-messages#errors). */
export const PROVIDER_SILENT = 'provider_silent';
export const providerSilent = upstream(
  PROVIDER_SILENT,
  'Provider did not answer',
  'silence, 5xx, a redirect, no JSON or over 1 MB',
);

/** The same to the client, when nothing has left us: what was to be done is certainly not done. */
export const PROVIDER_UNREACHED = 'provider_unreached';
export const providerUnreached = upstream(PROVIDER_UNREACHED, providerSilent.text, 'the provider cannot be reached');

/** @param text the provider's own */
const refused = unprocessable('provider_refused', (text: string) => text, 'provider rejected the request');

/** What a request to the provider may come to. */
export const PROVIDER_ERRORS: readonly DocumentedError[] = [refused.shown("the provider's own text"), providerSilent];

/**
 * The body of an answer that says yes.
 * @throws AppError `unprocessable` with the provider's own text otherwise: it refused what it was asked
 */
export function acceptedBody(answer: { status: number; body: Record<string, unknown> }): Record<string, unknown> {
  if (answer.status < 300) return answer.body;
  throw refused(providerErrorText(answer.body));
}

/**
 * A text that an accepted answer must hold, such as an id.
 * @throws AppError `upstream`: what came is no answer of this API
 */
export function textOf(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value === 'string' && value !== '') return value;
  throw providerSilent();
}
