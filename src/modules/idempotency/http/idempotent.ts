import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { ApiErrorsOf, ComparedBody } from '../../../platform/http/index.js';
import type { AuthenticatedRequest } from '../../accounts/index.js';
import {
  type IdempotentEndpoint,
  type IdempotentRequest,
  KEPT_HOURS,
  LONGEST_KEY,
  requestDigest,
} from '../domain/idempotent-request.js';
import { idempotencyErrors } from '../idempotency.errors.js';

const HEADER = 'Idempotency-Key';

/** Documents the header of a sending POST, which reads it with `@IdempotencyKey`, and its errors. */
export const Idempotent = (): MethodDecorator =>
  applyDecorators(
    ComparedBody(),
    ApiErrorsOf('idempotency', ...Object.values(idempotencyErrors)),
    ApiHeader({
      name: HEADER,
      required: false,
      description: `A name of your own for this request, kept ${KEPT_HOURS} hours. The same request again under it sends nothing and gets the first answer.`,
      schema: { type: 'string', maxLength: LONGEST_KEY },
    }),
  );

/**
 * The request with its `Idempotency-Key`; null when it came without one. Only on `@Authenticated` routes:
 * `@IdempotencyKey('voice_send') idempotent: IdempotentRequest | null`.
 * @throws AppError invalid for a key over 255 characters
 */
export const IdempotencyKey = createParamDecorator(
  async (endpoint: IdempotentEndpoint, context: ExecutionContext): Promise<IdempotentRequest | null> => {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const key = request.header(HEADER)?.trim() ?? '';
    if (key === '') return null;
    if (key.length > LONGEST_KEY) throw idempotencyErrors.tooLong();
    const accountId = request.actor?.account.id;
    if (accountId === undefined) throw new Error('IdempotencyKey on a route without @Authenticated');
    const { username: _, ...parameters } = request.params;
    return { accountId, endpoint, key, digest: await requestDigest(parameters, request.body) };
  },
);
