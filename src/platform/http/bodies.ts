import type { IncomingHttpHeaders } from 'node:http';
import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Global,
  Inject,
  Injectable,
  Module,
  type NestInterceptor,
  SetMetadata,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { KeyedSemaphore, PartTime } from '../concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { clientIp, type MeteredRequest, networksOf, RouteRules, tooMany } from '../security/index.js';
import {
  ANONYMOUS_PACE,
  BodyBudget,
  type Holding,
  inPace,
  KNOWN_PACE,
  LARGE_PACE,
  type Pace,
  readBytes,
} from './body-bytes.js';
import { ANONYMOUS_LIMIT, type BodyRule, isTaken, readBody, ruleOf } from './body-parsing.js';
import { beginBody, hasBody } from './http-server.js';

const KB = 1024;
const MB = 1024 * KB;

/** Memory of all bodies: fits three compressed bodies of 64 MB. */
const KNOWN_BYTES = 256 * MB;
const KNOWN_SHARE = 160 * MB;
/** Memory of unauthenticated bodies: fits a few broadcasts of BODY_LIMIT. */
const ANONYMOUS_BYTES = 32 * MB;
const ANONYMOUS_SHARE = 16 * MB;
const STRANGERS_SHARE = 1 / 4;
/** Parsed data of larger bodies counts until the answer; that of smaller ones is freed soon. */
const SMALL = 64 * KB;

/** The body of a callback, parsed after its signature is verified. */
export interface RawBody {
  /** the signed bytes; undefined without a readable body */
  bytes: Buffer | undefined;
  /** the parsed body. @throws AppError malformed_json, body_too_large */
  value: () => Promise<unknown>;
}

/** For requests without a body, or with one not worth reading. */
export const NO_BODY: RawBody = { bytes: undefined, value: () => Promise.resolve({}) };

/** Reads bodies after authentication; unauthenticated ones small, rate-limited and uncompressed (docs/decisions/0071). */
@Injectable()
export class Bodies {
  private readonly known: BodyBudget;
  private readonly anonymous: BodyBudget;
  /** limits the time for parsing unauthenticated bodies */
  private readonly strangers = new PartTime(STRANGERS_SHARE);

  constructor(@Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'BODY_LIMIT'>) {
    const { BODY_LIMIT } = environment;
    this.known = new BodyBudget(Math.max(KNOWN_BYTES, 4 * BODY_LIMIT), Math.max(KNOWN_SHARE, 2 * BODY_LIMIT));
    this.anonymous = new BodyBudget(
      Math.max(ANONYMOUS_BYTES, 2 * BODY_LIMIT),
      Math.max(ANONYMOUS_SHARE, BODY_LIMIT + MB),
    );
  }

  /** Sets `request.body`, `{}` without one. @param username null = unauthenticated @throws AppError of the body, or too_many */
  async read(request: Request, username: string | null): Promise<void> {
    const rule = ruleOf(request.path);
    request.body = {};
    if (rule.late || !hasBody(request) || !isTaken(rule, request)) return;
    request.body = await this.whole(request, rule, username, username === null ? ANONYMOUS_PACE : KNOWN_PACE);
  }

  /** The same for larger bodies. @param isLarge whether other requests wait for it */
  async readLarge(request: Request, username: string, isLarge: boolean): Promise<void> {
    const rule = ruleOf(request.path);
    if (!rule.late) throw new Error(`no rule for large bodies of ${request.path}`);
    if (!hasBody(request) || !isTaken(rule, request)) return;
    request.body = await this.whole(request, rule, username, isLarge ? LARGE_PACE : KNOWN_PACE);
  }

  async readRaw(request: Request): Promise<RawBody> {
    const rule = ruleOf(request.path);
    if (!hasBody(request) || !isTaken(rule, request)) return NO_BODY;
    const holding = this.hold(request, null);
    const bytes = await this.bytesOf(request, rule, holding, ANONYMOUS_PACE, false);
    return { bytes, value: () => readBody(request, rule, bytes, true) };
  }

  /** Reserves memory for a body that the route reads, until the answer. @param username as in `read` */
  hold(request: Request, username: string | null): Holding {
    beginBody(request, request.res);
    const holding = this.open(request, username);
    request.res?.once('close', () => holding.release());
    return holding;
  }

  private async whole(request: Request, rule: BodyRule, username: string | null, pace: Pace): Promise<unknown> {
    beginBody(request, request.res);
    const holding = this.open(request, username);
    let isKept = false;
    try {
      const bytes = await this.bytesOf(request, rule, holding, pace, username !== null);
      const parse = (): Promise<unknown> => readBody(request, rule, bytes, username !== null);
      const body = await (username === null && bytes.length > SMALL ? this.strangers.run(parse) : parse());
      isKept = bytes.length > SMALL && request.res?.closed === false;
      return body;
    } finally {
      if (isKept) request.res?.once('close', () => holding.release());
      else holding.release();
    }
  }

  private bytesOf(request: Request, rule: BodyRule, holding: Holding, pace: Pace, isKnown: boolean): Promise<Buffer> {
    const most = rule.limit ?? this.environment.BODY_LIMIT;
    const limit = isKnown || rule.open ? most : Math.min(most, ANONYMOUS_LIMIT);
    return inPace(request, pace, (signal) => readBytes(request, { limit, inflates: isKnown, holding, signal }));
  }

  /** Counts by account and by network: neither many accounts nor many addresses can take all memory. */
  private open(request: Request, username: string | null): Holding {
    const network = (): string => {
      const ip = clientIp(request);
      return `network:${networksOf(ip)[0]?.name ?? ip}`;
    };
    return username === null
      ? this.anonymous.open(() => [network()])
      : this.known.open(() => [`account:${username}`, network()]);
  }
}

@Global()
@Module({ providers: [Bodies], exports: [Bodies] })
export class BodiesModule {}

const OWN_BODY_METADATA = 'switchboard:own-body';

/** The route reads its body itself, after a check that no guard knows. */
export const OwnBody = (): MethodDecorator => SetMetadata(OWN_BODY_METADATA, true);

const COMPARED_BODY_METADATA = 'switchboard:compared-body';

/** The body is read even without a `@Body()` parameter, to compare requests. */
export const ComparedBody = (): MethodDecorator => SetMetadata(COMPARED_BODY_METADATA, true);

/** Index of the parameter with `@Body()`; null = none. */
export function bodyParameter(controller: Type, handler: object): number | null {
  const { name } = handler as { name: string };
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, { index: number }>;
  const [, body] = Object.entries(args).find(([key]) => key.startsWith(`${RouteParamtypes.BODY}:`)) ?? [];
  return body?.index ?? null;
}

/** Reads the body. Last of the guards that can refuse a request, so that no body of a refused request is read. */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly own = new RouteRules<true>(OWN_BODY_METADATA);
  private readonly compared = new RouteRules<true>(COMPARED_BODY_METADATA);
  private readonly taking = new WeakMap<object, boolean>();

  constructor(private readonly bodies: Bodies) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<MeteredRequest>();
    if (request.body !== undefined) return true; // already read for authentication
    if (!this.takesBody(context)) {
      request.body = {};
      return true;
    }
    return this.bodies.read(request, request.actor?.account.username ?? null).then(() => true);
  }

  private takesBody(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let takes = this.taking.get(handler);
    if (takes === undefined) {
      const isWanted = bodyParameter(context.getClass(), handler) !== null || this.compared.of(context) === true;
      takes = isWanted && this.own.of(context) === undefined;
      this.taking.set(handler, takes);
    }
    return takes;
  }
}

/** A parsed body of 64 MB takes several times that: limits of all, and of one account or network. */
const AT_ONCE = { permits: 3, each: 2, patienceMs: 30_000, waiting: 8 };
const RETRY_SECONDS = 5;

/** Shared by all routes: each module with such a route has its own reader. */
const LARGE = new KeyedSemaphore<string>(AT_ONCE, () => tooMany(RETRY_SECONDS));

/** Whether a body may exceed `limit` bytes: compressed and chunked bodies may, as their length is unknown. */
export function mayBeLarge(headers: IncomingHttpHeaders, limit: number): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const isPlain = encoding === '' || encoding === 'identity';
  return !(isPlain && Number(headers['content-length'] ?? Number.NaN) <= limit);
}

/** Limits both account and network, so that neither can block all others. */
function sharersOf(request: MeteredRequest): string[] {
  const ip = clientIp(request);
  return [`account:${request.actor?.account.username ?? ''}`, `network:${networksOf(ip)[0]?.name ?? ip}`];
}

/** Reads large JSON. Bodies over `BODY_LIMIT` occupy memory until the answer: few at a time, with a minimum pace. */
@Injectable()
class LargeJsonReader implements NestInterceptor {
  constructor(
    private readonly bodies: Bodies,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'BODY_LIMIT'>,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<MeteredRequest>();
    const username = request.actor?.account.username;
    if (username === undefined) throw new Error('@LargeJson on a route without @Authenticated');
    if (!mayBeLarge(request.headers, this.environment.BODY_LIMIT)) {
      await this.bodies.readLarge(request, username, false);
      return next.handle();
    }
    const answer = async (): Promise<unknown> => {
      await this.bodies.readLarge(request, username, true);
      return lastValueFrom(next.handle());
    };
    return of(await LARGE.runOf(sharersOf(request), answer));
  }
}

/** The route takes JSON up to the limit of its path (reference/requests#bodies), regardless of `BODY_LIMIT`. */
export const LargeJson = (): MethodDecorator => UseInterceptors(LargeJsonReader);
