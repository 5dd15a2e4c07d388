import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { AppError } from '../../kernel/app-error.js';
import { type DefinedError, invalid } from '../../kernel/define-error.js';

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
    exceptionFactory: (errors) => firstFault(errors),
  });

function firstFault(errors: ValidationError[]): AppError {
  for (const { constraints = {}, contexts, property, children } of errors) {
    const [rule, text] = Object.entries(constraints)[0] ?? [];
    if (rule !== undefined && text !== undefined) {
      const fault = faultOf(contexts?.[rule]) ?? invalidField(text);
      return fault.helping({ field: property, ...fault.help });
    }
    if (children && children.length > 0) return firstFault(children);
  }
  return invalidField('Bad Request');
}

/** What the rule of a field throws, which its decorator says (`fields.ts`). */
const faultOf = (context: unknown): AppError | undefined =>
  (context as { fault?: DefinedError<unknown[]> } | undefined)?.fault?.asShown();
