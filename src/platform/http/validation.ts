import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { invalid } from '../../kernel/define-error.js';

/** @param text what the field's decorator says */
const invalidField = invalid('invalid_field', (text: string) => text);

/**
 * Validation of our own endpoints' DTOs: unknown fields are dropped, and the answer is the message of the first fault
 * in the order in which the DTO declares its fields.
 */
export const validation = (): ValidationPipe =>
  new ValidationPipe({
    whitelist: true,
    transform: true,
    stopAtFirstError: true,
    forbidUnknownValues: false,
    validationError: { target: false, value: false },
    exceptionFactory: (errors) => invalidField(firstFault(errors)),
  });

function firstFault(errors: ValidationError[]): string {
  for (const error of errors) {
    const own = Object.values(error.constraints ?? {})[0];
    if (own !== undefined) return own;
    if (error.children && error.children.length > 0) return firstFault(error.children);
  }
  return 'Bad Request';
}
