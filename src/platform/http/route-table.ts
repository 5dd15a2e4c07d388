import { STATUS_CODES } from 'node:http';
import { type CustomDecorator, Injectable, RequestMethod, SetMetadata } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, HttpAdapterHost, MetadataScanner, Reflector } from '@nestjs/core';
import { type ErrorHelp, MOST_ROW_FAULTS, type RowFault } from '../../kernel/errors.js';
import { serverErrors } from './http.errors.js';

/** `v5`: paths below {v5_url}; `public`: the public profile-request lookup (reference/requests#error-bodies). */
export type ErrorShapeName = 'standard' | 'v5' | 'public';

export const ERROR_SHAPE_METADATA = 'switchboard:error-shape';

/** Declares the error body of a controller or handler. Default: `standard`. */
export const ErrorShape = (shape: ErrorShapeName): CustomDecorator => SetMetadata(ERROR_SHAPE_METADATA, shape);

const TEXT = { type: 'string' };
const ERROR_WORD = { type: 'string', enum: ['error'] };

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
      methods: {
        type: 'array' as const,
        description: 'of `second_factor_required`: what the login can show (totp, passkey, recovery_code)',
        items: TEXT,
      },
      passkey: {
        type: 'object' as const,
        description: 'of `second_factor_required`: what the browser wants (WebAuthn), good for 5 minutes',
      },
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

export const errorSchema = (shape: ErrorShapeName) => ({ $ref: `#/components/schemas/${SCHEMA_OF[shape]}` });

export interface ErrorContent {
  message: string;
  code: string;
  help?: Readonly<ErrorHelp>;
  errors?: readonly RowFault[];
  facts?: Readonly<Record<string, unknown>>;
}

/** Path of the page of error codes (docs/generated/errors.md). */
const CODES_PAGE = '/docs/guide/errors';

/** An error body (reference/requests#error-codes). @param site the API's address; '' = relative links; null = no pages */
export function errorBody(
  shape: ErrorShapeName,
  status: number,
  { message, code, help = {}, errors, facts }: ErrorContent,
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
      return { success: false, statusCode: status, message, error: name, ...said, ...(errors && { errors }), ...facts };
  }
}

export const NO_HEAD_METADATA = 'switchboard:no-head';

/** Refuses HEAD (405) on a GET that sends: Express would run the GET handler. */
export const NoHead = (): CustomDecorator => SetMetadata(NO_HEAD_METADATA, true);

interface RouterLayer {
  match(path: string): boolean;
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

interface HandlerFacts {
  shape: ErrorShapeName;
  noHead: boolean;
}

interface KnownRoute {
  matches(path: string): boolean;
  method: string;
  facts: HandlerFacts;
}

/** Unknown v5 paths use its shape too (reference/requests#error-bodies). */
const V5_PATHS = /^\/v5(\/|$)/i;

const PLAIN: HandlerFacts = { shape: 'standard', noHead: false };

/** Routes read once from the router: methods of a path (405), and its error body when no handler is reached. */
@Injectable()
export class RouteTable {
  private routes: KnownRoute[] | null = null;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** Methods of the path, as in `Allow`; empty for unknown paths. */
  methodsOf(path: string): string[] {
    const methods = new Set<string>();
    for (const route of this.matching(path)) {
      methods.add(route.method);
      if (route.method === 'GET' && !route.facts.noHead) methods.add('HEAD');
    }
    return [...methods].sort();
  }

  /** Shape of errors on this path: of the method's handler, else of any handler of the path or its family. */
  shapeOf(method: string, path: string): ErrorShapeName {
    const routes = this.matching(path);
    const wanted = method === 'HEAD' ? 'GET' : method;
    const known = routes.find((route) => route.method === wanted) ?? routes[0];
    return known?.facts.shape ?? (V5_PATHS.test(path) ? 'v5' : 'standard');
  }

  /** Whether HEAD must be refused: Express would run a GET that sends, or answer 404 where only other methods exist. */
  refusesHead(path: string): boolean {
    const methods = this.methodsOf(path);
    return methods.length > 0 && !methods.includes('HEAD');
  }

  private matching(path: string): KnownRoute[] {
    this.routes ??= this.read();
    return this.routes.filter((route) => route.matches(path));
  }

  private read(): KnownRoute[] {
    const facts = this.handlerFacts();
    const instance = this.host.httpAdapter.getInstance<{ router: { stack: RouterLayer[] } }>();
    return instance.router.stack.flatMap((layer) => {
      const { route } = layer;
      if (!route) return [];
      const paths = Array.isArray(route.path) ? route.path : [route.path];
      return Object.keys(route.methods).map((name) => {
        const method = name.toUpperCase();
        const found = paths.map((path) => facts.get(`${method} ${path}`)).find((known) => known !== undefined);
        return { method, facts: found ?? PLAIN, matches: (path: string) => matchSafely(layer, path) };
      });
    });
  }

  private handlerFacts(): Map<string, HandlerFacts> {
    const facts = new Map<string, HandlerFacts>();
    for (const { instance, metatype } of this.discovery.getControllers()) {
      if (!metatype || typeof instance !== 'object' || instance === null) continue;
      const prototype = Object.getPrototypeOf(instance) as Record<string, () => unknown>;
      const bases = pathsOf(Reflect.getMetadata(PATH_METADATA, metatype));
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name];
        if (!handler || !Reflect.hasMetadata(PATH_METADATA, handler)) continue;
        const targets = [handler, metatype];
        const known: HandlerFacts = {
          shape:
            this.reflector.getAllAndOverride<ErrorShapeName | undefined>(ERROR_SHAPE_METADATA, targets) ?? 'standard',
          noHead: this.reflector.getAllAndOverride<boolean | undefined>(NO_HEAD_METADATA, targets) ?? false,
        };
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
        for (const base of bases)
          for (const path of pathsOf(Reflect.getMetadata(PATH_METADATA, handler)))
            facts.set(`${method} ${joined(base, path)}`, known);
      }
    }
    return facts;
  }
}

function pathsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value ?? '']).map(String);
}

const joined = (base: string, path: string): string =>
  `/${[base, path]
    .map((part) => part.replace(/^\/+|\/+$/g, ''))
    .filter((part) => part !== '')
    .join('/')}`;

/** False for a path that cannot be decoded. */
function matchSafely(layer: RouterLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
