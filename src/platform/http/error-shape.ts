import { STATUS_CODES } from 'node:http';
import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import { type ErrorHelp, MOST_ROW_FAULTS, type RowFault } from '../../kernel/app-error.js';
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
const ERROR_WORD = { type: 'string', enum: ['error'] };

/** What stands beside the literal text, as schemas. */
const HELP = {
  code: { type: 'string', description: 'stable name of the error, for programs' },
  field: { type: 'string', description: 'the field at fault, as the request calls it' },
  index: { type: 'integer', minimum: 0, description: 'its place where the field is a list, 0 = the first' },
  hint: { type: 'string', description: 'what to do, for people: its words may change' },
  doc_url: { type: 'string', description: 'the page about this code' },
};
const fields = (...names: string[]) => ({
  type: 'object' as const,
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, TEXT])),
});

const withHelp = (schema: ReturnType<typeof fields>, words: Record<string, object>) => ({
  ...schema,
  properties: { ...schema.properties, ...words, ...HELP },
});

/** The bodies as schemas of the OpenAPI document, by the names under which it keeps them. */
export const ERROR_SCHEMAS = {
  Error: {
    type: 'object' as const,
    required: ['success', 'statusCode', 'message', 'error', 'code'],
    properties: {
      success: { type: 'boolean', enum: [false] },
      statusCode: { type: 'integer' },
      message: TEXT,
      error: TEXT,
      ...HELP,
      errors: {
        type: 'array' as const,
        maxItems: MOST_ROW_FAULTS,
        description: 'rows of a list that are at fault, the first hundred (reference/bulk#rows)',
        items: {
          type: 'object' as const,
          required: ['row', 'reason', 'message'],
          properties: {
            row: { type: 'integer' },
            value: TEXT,
            reason: TEXT,
            country: TEXT,
            missing: { type: 'array' as const, items: TEXT },
            message: TEXT,
          },
        },
      },
    },
  },
  V5Error: withHelp(fields('status', 'textsent', 'message'), { status: ERROR_WORD, textsent: ERROR_WORD }),
  LookUpError: { ...fields('error', 'message'), required: ['message'] },
};

const SCHEMA_OF: Record<ErrorShapeName, keyof typeof ERROR_SCHEMAS> = {
  standard: 'Error',
  v5: 'V5Error',
  public: 'LookUpError',
};

/** The schema of a shape's error body, as the document refers to it. */
export const errorSchema = (shape: ErrorShapeName) => ({ $ref: `#/components/schemas/${SCHEMA_OF[shape]}` });

/** What an error body is made of, beside its status. */
export interface ErrorContent {
  message: string;
  code: string;
  help?: Readonly<ErrorHelp>;
  /** rows of a list that are at fault; legacy shapes have no place for them */
  errors?: readonly RowFault[];
}

/** Path of the page about error codes, below the address of the API (docs/generated/errors.md). */
const CODES_PAGE = '/docs/guide/errors';

/**
 * The error body of a shape (reference/requests#error-codes). The public look-up has no place for more than its text.
 * @param site address of the API, or '' for links within its host; null: no pages are served
 */
export function errorBody(
  shape: ErrorShapeName,
  status: number,
  { message, code, help = {}, errors }: ErrorContent,
  site: string | null = null,
): Record<string, unknown> {
  const name = STATUS_CODES[status] ?? 'Error';
  const { field, index, hint } = help;
  const said = {
    code,
    ...(field !== undefined && { field }),
    ...(index !== undefined && { index }),
    ...(hint !== undefined && { hint }),
    ...(site !== null && { doc_url: `${site}${CODES_PAGE}#${code}` }),
  };
  switch (shape) {
    case 'v5':
      return { status: 'error', textsent: 'error', message, ...said };
    case 'public':
      return status >= 500 ? { error: name, message: serverErrors.lookUp.text } : { message };
    case 'standard':
      return { success: false, statusCode: status, message, error: name, ...said, ...(errors && { errors }) };
  }
}
