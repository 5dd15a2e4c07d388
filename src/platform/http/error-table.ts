import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { type ErrorShapeName, errorBody, errorSchema } from './error-shape.js';

/** One row of an endpoint's error table (spec 7): the status, the literal text, and when it comes. */
export interface ErrorRow {
  status: number;
  message: string;
  reason: string;
}

export const API_ERRORS_METADATA = 'switchboard:api-errors';

/**
 * Documents an endpoint's error answers from its table. Rows of one status become one answer with an example each.
 * @param shape the body these errors have, as declared by `@ErrorShape`
 */
export function ApiErrors(rows: ErrorRow[], shape: ErrorShapeName = 'standard'): MethodDecorator & ClassDecorator {
  const byStatus = new Map<number, ErrorRow[]>();
  for (const row of rows) byStatus.set(row.status, [...(byStatus.get(row.status) ?? []), row]);
  const answers = [...byStatus].map(([status, same]) =>
    ApiResponse({
      status,
      description: same.map((row) => `\`${row.message}\`: ${row.reason}`).join('  \n'),
      content: {
        'application/json': {
          schema: errorSchema(shape),
          examples: Object.fromEntries(
            same.map((row, index) => [
              `${status}-${index + 1}`,
              { summary: row.message, description: row.reason, value: errorBody(shape, status, row.message) },
            ]),
          ),
        },
      },
    }),
  );
  return applyDecorators(SetMetadata(API_ERRORS_METADATA, rows), ...answers);
}
