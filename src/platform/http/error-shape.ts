import { STATUS_CODES } from 'node:http';
import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** `standard`: everywhere; `v5`: below {v5_url}; `public`: the public profile-request lookup (decisions §3). */
export type ErrorShapeName = 'standard' | 'v5' | 'public';

export const ERROR_SHAPE_METADATA = 'switchboard:error-shape';

/** Declares which body the errors of a controller or handler have. Without it: `standard`. */
export const ErrorShape = (shape: ErrorShapeName): CustomDecorator => SetMetadata(ERROR_SHAPE_METADATA, shape);

const PUBLIC_FAILURE_TEXT = 'Database query failed';

/** The error body of a shape. */
export function errorBody(shape: ErrorShapeName, status: number, message: string): Record<string, unknown> {
  const name = STATUS_CODES[status] ?? 'Error';
  switch (shape) {
    case 'v5':
      return { status: 'error', textsent: 'error', message };
    case 'public':
      return status >= 500 ? { error: name, message: PUBLIC_FAILURE_TEXT } : { message };
    case 'standard':
      return { success: false, statusCode: status, message, error: name };
  }
}
