import { SetMetadata } from '@nestjs/common';
import type { ErrorHelp } from '../../kernel/app-error.js';
import type { DocumentedError } from '../../kernel/define-error.js';
import { STATUS_OF } from './error-answer.js';

/** One row of an endpoint's error table: the status, the stable code, the literal text, and when it comes. */
export interface ErrorRow {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly reason: string;
  readonly help: Readonly<ErrorHelp>;
}

/** Who answers an error before the handler does: guards, then (after the limit of the route) what reads the request. */
export type Judge = 'authentication' | 'path' | 'role' | 'upload' | 'idempotency';

/** Metadata: the rows of a handler, or those that all handlers of a controller share. */
export const API_ERRORS_METADATA = 'switchboard:api-errors';

/** Metadata: the rows of a judge; those of a handler stand in the place of its controller's. */
export const judgeMetadata = (judge: Judge): string => `${API_ERRORS_METADATA}:${judge}`;

/**
 * Documents the errors of a handler, in the order in which they are judged: its own alone. Those that every endpoint
 * has come by themselves, and those of a guard from the guard's decorator (see `error-document.ts`). On a controller:
 * errors that all its handlers have, which come before their own.
 *
 * `@ApiErrors(smsErrors.tooLong, smsErrors.noRoute.because('nothing is charged'), ...CONTACT_ERRORS)`; an `ErrorRow` is
 * for what only HTTP knows, and so has no kind.
 */
export const ApiErrors = (...errors: readonly (DocumentedError | ErrorRow)[]): MethodDecorator & ClassDecorator =>
  SetMetadata(API_ERRORS_METADATA, errors.map(rowOf));

/** For the decorators of guards and interceptors: documents what they answer wherever they stand. */
export const ApiErrorsOf = (judge: Judge, ...errors: readonly DocumentedError[]): MethodDecorator & ClassDecorator =>
  SetMetadata(judgeMetadata(judge), errors.map(rowOf));

/** An error as a row. @throws Error when it takes figures, and none are given to show it with */
export function rowOf(error: DocumentedError | ErrorRow): ErrorRow {
  if ('status' in error) return error;
  const { kind, code, text, reason, help } = error;
  if (text === '') throw new Error(`The error ${code} is documented without the words that it shows: add shown(…)`);
  return { status: STATUS_OF[kind], code, message: text, reason, help };
}
