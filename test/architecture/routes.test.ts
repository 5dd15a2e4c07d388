import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiModule } from '../../src/apps/api/api.module.js';
import { createOpenApiDocument } from '../../src/apps/api/openapi.js';
import {
  ADMIN_METADATA,
  AUTHENTICATION_METADATA,
  type AuthenticationRules,
  neededRights,
  NEEDS_METADATA,
  OPEN_METADATA,
  type Right,
} from '../../src/modules/accounts/index.js';
import {
  CARRIER_PATHS,
  RATE_LIMIT_METADATA,
  RateLimitGuard,
  type RateRule,
} from '../../src/platform/security/index.js';
import { type Handler, handlersOf, providersOf, scan } from './house.js';

const ANSWERS = 'swagger/apiResponse';
const OPERATION = 'swagger/apiOperation';
const TAGS = 'swagger/apiUseTags';
const EXCLUDED = 'swagger/apiExcludeEndpoint';
const CONTROLLER_EXCLUDED = 'swagger/apiExcludeController';

interface Operation {
  operationId: string;
  responses: Record<string, unknown>;
}

/** Every operation of the document, with its method and path as a handler declares them. */
const documented = (): (Operation & { route: string })[] =>
  Object.entries(createOpenApiDocument(app).paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      ...operation,
      route: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    })),
  );

let app: INestApplication;
let handlers: Handler[];

beforeAll(async () => {
  app = (await scan(ApiModule)) as INestApplication;
  handlers = handlersOf(app);
});
afterAll(() => app.close());

const isHidden = (handler: Handler): boolean =>
  handler.metadata<{ disable: boolean }>(EXCLUDED)?.disable === true ||
  handler.metadata<boolean[]>(CONTROLLER_EXCLUDED)?.[0] === true;

/** How a route lets somebody in, in one word or two. */
function authentication(handler: Handler): string {
  if (handler.metadata(ADMIN_METADATA) !== undefined) return 'admin';
  const rules = handler.metadata<AuthenticationRules>(AUTHENTICATION_METADATA);
  if (rules !== undefined) {
    const ways = {
      token: true,
      key: rules.apiKey,
      cookie: rules.cookie,
      body: rules.bodyUsername,
      v5: rules.scheme === 'v5',
    };
    return Object.entries(ways)
      .flatMap(([way, open]) => (open ? [way] : []))
      .join('+');
  }
  return handler.metadata(OPEN_METADATA) !== undefined ? 'open' : 'UNDECLARED';
}

const rightsFor = (handler: Handler): readonly Right[] =>
  neededRights(handler.metadata(NEEDS_METADATA), handler.method, handler.metadata(ADMIN_METADATA) !== undefined);

const named = (wrong: Handler[]): string[] => wrong.map((handler) => handler.name);

/** Operations that have error answers in the document. */
const documentedErrors = (): Set<string> =>
  new Set(
    documented()
      .filter(({ responses }) => Object.keys(responses).some((status) => status >= '400'))
      .map(({ route }) => route),
  );

describe('every route', () => {
  it('declares its authentication, or why it has none', () => {
    expect(handlers.length).toBeGreaterThan(10);
    expect(named(handlers.filter((handler) => authentication(handler) === 'UNDECLARED'))).toEqual([]);
    const both = handlers.filter(
      (handler) =>
        handler.metadata(OPEN_METADATA) !== undefined && handler.metadata(AUTHENTICATION_METADATA) !== undefined,
    );
    expect(named(both)).toEqual([]);
  });

  it('of an owner declares the right that it needs, if it changes something', () => {
    const silent = handlers.filter(
      (handler) => handler.metadata(AUTHENTICATION_METADATA) !== undefined && rightsFor(handler).length === 0,
    );
    expect(named(silent)).toEqual([]);
  });

  it('is under a limit: its own or that of every user', () => {
    expect(providersOf(app)).toContain(RateLimitGuard);
    const under = (rule: RateRule): Handler[] =>
      handlers.filter((handler) => handler.metadata(RATE_LIMIT_METADATA) === rule);
    for (const handler of under('none'))
      expect(handler.paths.join(), handler.name).toMatch(/^\/(health|metrics|cell)\b/);
    // the limit of carriers goes by the path, before a route is known
    const isCarriers = (path: string): boolean => CARRIER_PATHS.some((prefix) => path.startsWith(prefix));
    expect(named(under('carrier'))).toEqual(named(handlers.filter(({ paths }) => paths.some(isCarriers))));
    expect(under('carrier').every(({ paths }) => paths.every(isCarriers))).toBe(true);
  });

  it('is described in Swagger: a group, a summary, its success and its errors', () => {
    const shown = handlers.filter((handler) => !isHidden(handler));
    const refusals = documentedErrors();
    const faults = shown.flatMap((handler) => {
      const answers = Object.keys(handler.metadata<Record<string, unknown>>(ANSWERS) ?? {});
      // probes refuse nothing and are under no limit
      const errors =
        handler.metadata(RATE_LIMIT_METADATA) === 'none' ||
        handler.paths.every((path) => refusals.has(`${handler.method} ${path}`));
      return [
        ...(handler.metadata<string[]>(TAGS)?.length ? [] : [`${handler.name}: no @ApiTags`]),
        ...(handler.metadata<{ summary?: string }>(OPERATION)?.summary ? [] : [`${handler.name}: no summary`]),
        ...(answers.some((status) => /^[23]/.test(status)) ? [] : [`${handler.name}: no success answer`]),
        ...(errors ? [] : [`${handler.name}: no error answers`]),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('admin routes stand under /v6/api/admin and nothing else does', () => {
    const wrong = handlers.filter((handler) => {
      const admin = handler.metadata(ADMIN_METADATA) !== undefined;
      return admin !== handler.paths.every((path) => path.startsWith('/v6/api/admin'));
    });
    expect(named(wrong)).toEqual([]);
  });

  it('has an id that clients are generated from: unique, speaking, and changed on purpose only', async () => {
    const ids = documented().map(({ operationId, route }) => `${operationId.padEnd(34)} ${route}`);
    const names = documented().map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-zA-Z0-9]+$/.test(name) || /controller|answer/i.test(name))).toEqual([]);
    await expect(`${ids.sort().join('\n')}\n`).toMatchFileSnapshot('snapshots/operation-ids.txt');
  });

  it('is frozen: paths, methods, authentication and limits change on purpose only', async () => {
    const lines = handlers.flatMap((handler) => {
      const limit = handler.metadata<RateRule>(RATE_LIMIT_METADATA) ?? 'user';
      const isOpen = handler.metadata(AUTHENTICATION_METADATA) === undefined;
      const rights = isOpen ? '' : rightsFor(handler).join('|');
      return handler.paths.map((path) =>
        `${handler.method.padEnd(6)} ${path.padEnd(60)} ${authentication(handler).padEnd(22)} ${limit.padEnd(9)} ${rights}`.trimEnd(),
      );
    });
    await expect(`${lines.sort((a, b) => a.slice(7).localeCompare(b.slice(7))).join('\n')}\n`).toMatchFileSnapshot(
      'snapshots/routes.txt',
    );
  });
});
