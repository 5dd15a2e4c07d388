import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiBody, ApiTags, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { beforeAll, describe, expect, it } from 'vitest';
import { conflict, forbidden, invalid, notFound, unauthenticated, fieldErrors } from '../../src/kernel/errors.js';
import { ApiErrors, ApiErrorsOf, documentErrors, ErrorShape, NoHead } from '../../src/platform/http/index.js';
import { RateLimited } from '../../src/platform/security/index.js';

const errors = {
  notFound: notFound('thing_unknown', 'Thing not found', 'none of the account'),
  already: conflict('wrong_state', (state: string) => `Thing is already ${state}`, 'its state does not allow it'),
  token: unauthenticated('token', 'Invalid token', 'none'),
  staff: forbidden('forbidden', 'Forbidden', 'not staff'),
  keyTooLong: invalid('key_too_long', 'Key is too long', 'a longer key'),
};

@ApiErrors(errors.notFound)
@ApiErrorsOf('authentication', errors.token)
@Controller('things')
class ThingsController {
  @ApiErrors(fieldErrors.required.shown('name').because('likewise note'), errors.already.shown('<state>'))
  @ApiErrorsOf('idempotency', errors.keyTooLong)
  @ApiErrorsOf('role', errors.staff)
  @RateLimited('broadcast')
  @Post()
  @ApiBody({ schema: { type: 'object' } })
  send(): void {}

  @Get()
  @NoHead()
  @ApiErrorsOf('authentication', errors.token.because('a token that may not read'))
  @ApiErrors(errors.notFound.because('or hidden'))
  list(): void {}

  @Get('probe')
  @ApiTags('Probes')
  probe(): void {}
}

@ErrorShape('v5')
@Controller('v5')
class V5Controller {
  @Get()
  read(): void {}
}

@Module({ controllers: [ThingsController, V5Controller] })
class ThingsModule {}

let document: OpenAPIObject;

beforeAll(async () => {
  const app = await NestFactory.create(ThingsModule, { preview: true, logger: false });
  document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  documentErrors(app, document, 'Probes');
});

const descriptions = (path: string, method: 'get' | 'post'): Record<string, string> =>
  Object.fromEntries(
    Object.entries(document.paths[path]?.[method]?.responses ?? {})
      .filter(([status]) => status >= '400')
      .map(([status, answer]) => [status, (answer as { description: string }).description]),
  );

describe('documentErrors', () => {
  it('puts the table together in the order of the checks, whatever the order of the decorators', () => {
    const [slow, malformed, key, name] = [
      '`Request body comes too slowly`: after ten seconds less than 16 KB a second of it (256 KB of a body over BODY_LIMIT), or not all of it after 30 seconds where the caller is not known',
      '`Malformed JSON body`: no JSON, or deeper than 32 levels',
      '`Key is too long`: a longer key',
      '`name is required`: likewise note',
    ];
    expect(descriptions('/things', 'post')).toEqual({
      400: [slow, malformed, key, name].join('  \n'),
      401: '`Invalid token`: none',
      403: '`Forbidden`: not staff',
      404: '`Thing not found`: none of the account',
      405: '`Method not allowed`: a method that the path does not have',
      409: '`Thing is already <state>`: its state does not allow it',
      413: '`Request body is too large`: body over BODY_LIMIT',
      415: expect.stringContaining('`Unsupported charset or encoding`'),
      429: expect.stringContaining('BROADCAST_RATE_LIMIT'),
      500: expect.stringMatching(/`Internal server error`.*\n`Database connection failed`/),
    });
  });

  it('lets a handler speak in the place of its controller for a guard, and beside it for its own', () => {
    expect(descriptions('/things', 'get')).toMatchObject({
      401: '`Invalid token`: a token that may not read',
      404: '`Thing not found`: none of the account; or hidden',
      405: expect.stringMatching(/HEAD too$/),
      429: expect.stringContaining('USER_RATE_LIMIT'),
    });
    expect(Object.keys(descriptions('/things', 'get'))).toEqual(['401', '404', '405', '429', '500']);
  });

  it('gives each row an example in the shape of the route', () => {
    const answer = document.paths['/v5']?.get?.responses['405'];
    expect(answer).toMatchObject({
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/V5Error' },
          examples: { '405-1': { value: { status: 'error', textsent: 'error', message: 'Method not allowed' } } },
        },
      },
    });
  });

  it('leaves alone what speaks for itself', () => {
    expect(descriptions('/things/probe', 'get')).toEqual({});
  });

  it('refuses a row that nobody said how to show', () => {
    expect(() => ApiErrors(errors.already)).toThrow('wrong_state');
  });
});
