import { STATUS_CODES } from 'node:http';
import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import { MOST_ROW_FAULTS, type RowFault } from '../../kernel/app-error.js';
import { serverErrors } from './request-errors.js';

/**
 * `standard`: everywhere; `v5`: below {v5_url}; `public`: the public profile-request lookup
 * (reference/requests#error-bodies).
 */
export type ErrorShapeName = 'standard' | 'v5' | 'public';

export const ERROR_SHAPE_METADATA = 'switchboard:error-shape';

/** Declares which body the errors of a controller or handler have. Without it: `standard`. */
export const ErrorShape = (shape: ErrorShapeName): CustomDecorator => SetMetadata(ERROR_SHAPE_METADATA, shape);

const TEXT = { type: 'string' };
const fields = (...names: string[]) => ({
  type: 'object' as const,
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, TEXT])),
});

/** The bodies as schemas of the OpenAPI document, by the names under which it keeps them. */
export const ERROR_SCHEMAS = {
  Error: {
    type: 'object' as const,
    required: ['success', 'statusCode', 'message', 'error'],
    properties: {
      success: { type: 'boolean', enum: [false] },
      statusCode: { type: 'integer' },
      message: TEXT,
      error: TEXT,
      errors: {
        type: 'array' as const,
        maxItems: MOST_ROW_FAULTS,
        description: 'rows of a list that are at fault, the first hundred (reference/bulk#rows)',
        items: {
          type: 'object' as const,
          required: ['row'],
          properties: {
            row: { type: 'integer' },
            to: TEXT,
            missing: { type: 'array' as const, items: TEXT },
            message: TEXT,
          },
        },
      },
    },
  },
  V5Error: fields('status', 'textsent', 'message'),
  LookUpError: { ...fields('error', 'message'), required: ['message'] },
};

const SCHEMA_OF: Record<ErrorShapeName, keyof typeof ERROR_SCHEMAS> = {
  standard: 'Error',
  v5: 'V5Error',
  public: 'LookUpError',
};

/** The schema of a shape's error body, as the document refers to it. */
export const errorSchema = (shape: ErrorShapeName) => ({ $ref: `#/components/schemas/${SCHEMA_OF[shape]}` });

/** The error body of a shape. @param errors rows of a list that are at fault; legacy shapes have no place for them */
export function errorBody(
  shape: ErrorShapeName,
  status: number,
  message: string,
  errors?: readonly RowFault[],
): Record<string, unknown> {
  const name = STATUS_CODES[status] ?? 'Error';
  switch (shape) {
    case 'v5':
      return { status: 'error', textsent: 'error', message };
    case 'public':
      return status >= 500 ? { error: name, message: serverErrors.lookUp.text } : { message };
    case 'standard':
      return { success: false, statusCode: status, message, error: name, ...(errors && { errors }) };
  }
}
