import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiModule } from '../../src/apps/api/api.module.js';
import {
  ADMIN_METADATA,
  AUTHENTICATION_METADATA,
  type AuthenticationRules,
  OPEN_METADATA,
} from '../../src/modules/accounts/index.js';
import { PATH_RULES, ruleOf } from '../../src/modules/cells/index.js';
import { ERROR_SHAPE_METADATA, type ErrorShapeName } from '../../src/platform/http/index.js';
import { type Handler, handlersOf, scan } from './house.js';

let app: INestApplication;
let routes: { handler: Handler; path: string }[];

beforeAll(async () => {
  app = (await scan(ApiModule)) as INestApplication;
  routes = handlersOf(app).flatMap((handler) => handler.paths.map((path) => ({ handler, path })));
});
afterAll(() => app.close());

const wayOf = (path: string): string | undefined => ruleOf(path)?.way.by;

describe('the front', () => {
  it('has a way for every route of the API', () => {
    expect(routes.length).toBeGreaterThan(50);
    expect(routes.filter(({ path }) => wayOf(path) === undefined).map(({ path }) => path)).toEqual([]);
  });

  it('reads the account from where the route reads it', () => {
    const wrong = routes.filter(({ handler, path }) => {
      const rules = handler.metadata<AuthenticationRules>(AUTHENTICATION_METADATA);
      if (handler.metadata(ADMIN_METADATA) !== undefined) return wayOf(path) !== 'staff';
      if (rules?.bodyUsername) return wayOf(path) !== 'body';
      return rules !== undefined && wayOf(path) !== 'caller';
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('has a way of its own for every route that is open, chosen on purpose', () => {
    const open = routes.filter(({ handler }) => handler.metadata(OPEN_METADATA) !== undefined);
    const ways = new Map<string, string[]>();
    for (const { handler, path } of open) {
      const way = wayOf(path) ?? 'unknown';
      ways.set(way, [...(ways.get(way) ?? []), `${handler.method} ${path}`].sort());
    }
    expect(Object.fromEntries([...ways].sort())).toEqual({
      body: ['POST /v1/auth/login', 'POST /v6/api/v1/auth/login', 'POST /v6/api/v1/auth/password-resets'],
      first: [
        'GET /.well-known/switchboard-settlement-keys',
        'GET /admin',
        'GET /admin/login',
        'GET /admin/queues',
        'GET /admin/queues/*path',
        'GET /app',
        'GET /app/*path',
        'GET /app/assets/:file',
        'GET /audio/:name',
        'GET /docs/guide',
        'GET /docs/guide/*path',
        'GET /docs/guide/assets/:file',
        'GET /provider/:channel/:route/:secret',
        'GET /provider/chat/:account_id',
        'GET /v6/api/auth/oidc',
        'GET /v6/api/auth/oidc/callback',
        'GET /v6/api/auth/oidc/start',
        'POST /admin/logout',
        'POST /provider/:channel/:route/:secret',
        'POST /provider/chat/:account_id',
        'POST /provider/voice/:route/calls/:ref/status',
        'POST /provider/voice/:route/calls/:ref/steps/:step/:event',
        'POST /v6/api/auth/oidc/token',
        'POST /v6/api/v1/auth/links/show',
        'POST /v6/api/v1/auth/links/use',
      ],
      front: ['GET /', 'GET /health/live', 'GET /health/ready', 'GET /metrics'],
      new: ['POST /v1/auth/register', 'POST /v6/api/v1/auth/register'],
      none: ['POST /cell/holdings'],
      query: ['GET /v5/api/sms_get.php', 'GET /v6/api/public/profile-request', 'GET /webhook/api/templates.php'],
      report: ['GET /webhook/api/getGSMreport.php', 'POST /webhook/api/getGSMreport.php'],
    });
  });

  it('answers in the shape of the route', () => {
    const wrong = routes.filter(({ handler, path }) => {
      const shape = handler.metadata<ErrorShapeName>(ERROR_SHAPE_METADATA) ?? 'standard';
      return (ruleOf(path)?.shape ?? 'standard') !== shape;
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('has paths in lower case and without a slash at the end, which is how they are compared', () => {
    for (const { path } of PATH_RULES) expect(path).toMatch(/^(\/[a-z0-9_.-]+)*$/);
  });
});
