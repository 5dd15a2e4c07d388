import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, HttpAdapterHost, MetadataScanner, Reflector } from '@nestjs/core';
import { ERROR_SHAPE_METADATA, type ErrorShapeName } from './error-shape.js';
import { NO_HEAD_METADATA } from './no-head.js';

/** What Express 5 keeps of a route, as far as it is read here. */
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

/** Unknown paths of the family answer in its shape too (reference/requests#error-bodies). */
const V5_PATHS = /^\/v5(\/|$)/i;

const PLAIN: HandlerFacts = { shape: 'standard', noHead: false };

/**
 * The routes of the application, read once from the router: which methods a path has (405), and which body its errors
 * have even where no handler was reached.
 */
@Injectable()
export class RouteTable {
  private routes: KnownRoute[] | null = null;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** Methods that the path answers, in the spelling of `Allow`; empty for unknown paths. */
  methodsOf(path: string): string[] {
    const methods = new Set<string>();
    for (const route of this.matching(path)) {
      methods.add(route.method);
      if (route.method === 'GET' && !route.facts.noHead) methods.add('HEAD');
    }
    return [...methods].sort();
  }

  /** The body of an error on this path: of the handler for the method, else of any handler of the path or its family. */
  shapeOf(method: string, path: string): ErrorShapeName {
    const routes = this.matching(path);
    const wanted = method === 'HEAD' ? 'GET' : method;
    const known = routes.find((route) => route.method === wanted) ?? routes[0];
    return known?.facts.shape ?? (V5_PATHS.test(path) ? 'v5' : 'standard');
  }

  /** Whether HEAD must be refused on this path: Express would run a GET that sends, and find nothing where only others are. */
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

/** A path that cannot be decoded matches nothing. */
function matchSafely(layer: RouterLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
