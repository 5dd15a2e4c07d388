import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { AppError } from '../../kernel/app-error.js';

/**
 * Validation of our own endpoints' DTOs: unknown fields are dropped, and the answer is the message of the first fault
 * in the order in which the DTO declares its fields.
 */
export const validation = (): ValidationPipe =>
  new BodyValidation({
    whitelist: true,
    transform: true,
    stopAtFirstError: true,
    forbidUnknownValues: false,
    validationError: { target: false, value: false },
    exceptionFactory: (errors) => new AppError('invalid', 'invalid_field', firstFault(errors)),
  });

class BodyValidation extends ValidationPipe {
  /** The library walks a body by recursion: one nested thousands of levels deep ends the stack, which is no 500. */
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    try {
      return (await super.transform(value, metadata)) as unknown;
    } catch (error) {
      if (error instanceof RangeError) throw new AppError('invalid', 'too_deep', 'Request body could not be read');
      throw error;
    }
  }
}

function firstFault(errors: ValidationError[]): string {
  for (const error of errors) {
    const own = Object.values(error.constraints ?? {})[0];
    if (own !== undefined) return own;
    if (error.children && error.children.length > 0) return firstFault(error.children);
  }
  return 'Bad Request';
}
