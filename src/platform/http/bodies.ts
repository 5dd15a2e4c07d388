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

/** Of all bodies at once; three of 64 MB that came compressed fit in. */
const KNOWN_BYTES = 256 * MB;
const KNOWN_SHARE = 160 * MB;
/** Of callers who are not known: a few broadcasts of BODY_LIMIT. */
const ANONYMOUS_BYTES = 32 * MB;
const ANONYMOUS_SHARE = 16 * MB;
/** Of the time of the process. */
const STRANGERS_SHARE = 1 / 4;
/** What is parsed of a larger body counts until the answer; of a smaller one it is soon gone. */
const SMALL = 64 * KB;

/** The body of a callback, which is parsed when its signature has been verified. */
export interface RawBody {
  /** as the signature covers them; undefined when there was no readable body */
  bytes: Buffer | undefined;
  /** what they say. @throws AppError malformed_json, body_too_large */
  value: () => Promise<unknown>;
}

/** Where there is none, or none that is worth reading. */
export const NO_BODY: RawBody = { bytes: undefined, value: () => Promise.resolve({}) };

/**
 * Reads the bodies of requests, once it is known who sends them: nothing of a request that is refused by its head, and of a
 * caller who is not known little, slowly paid for and never inflated (docs/decisions/0071).
 */
@Injectable()
export class Bodies {
  private readonly known: BodyBudget;
  private readonly anonymous: BodyBudget;
  /** parses what callers who are not known have sent */
  private readonly strangers = new PartTime(STRANGERS_SHARE);

  constructor(@Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'BODY_LIMIT'>) {
    const { BODY_LIMIT } = environment;
    this.known = new BodyBudget(Math.max(KNOWN_BYTES, 4 * BODY_LIMIT), Math.max(KNOWN_SHARE, 2 * BODY_LIMIT));
    this.anonymous = new BodyBudget(
      Math.max(ANONYMOUS_BYTES, 2 * BODY_LIMIT),
      Math.max(ANONYMOUS_SHARE, BODY_LIMIT + MB),
    );
  }

  /**
   * Puts the body on the request; an empty object where there is none that the path takes.
   * @param username whose request it is; null = the caller is not known
   * @throws AppError for a body that is too large, too slow, compressed, unreadable or malformed, or finds no room
   */
  async read(request: Request, username: string | null): Promise<void> {
    const rule = ruleOf(request.path);
    request.body = {};
    if (rule.late || !hasBody(request) || !isTaken(rule, request)) return;
    request.body = await this.whole(request, rule, username, username === null ? ANONYMOUS_PACE : KNOWN_PACE);
  }

  /** The same for a route that takes larger ones. @param isLarge whether others wait for it */
  async readLarge(request: Request, username: string, isLarge: boolean): Promise<void> {
    const rule = ruleOf(request.path);
    if (!rule.late) throw new Error(`no rule for large bodies of ${request.path}`);
    if (!hasBody(request) || !isTaken(rule, request)) return;
    request.body = await this.whole(request, rule, username, isLarge ? LARGE_PACE : KNOWN_PACE);
  }

  /** The body of a callback as it came. @throws AppError as `read` */
  async readRaw(request: Request): Promise<RawBody> {
    const rule = ruleOf(request.path);
    if (!hasBody(request) || !isTaken(rule, request)) return NO_BODY;
    const holding = this.hold(request, null);
    const bytes = await this.bytesOf(request, rule, holding, ANONYMOUS_PACE, false);
    // asked for once the bytes are proven
    return { bytes, value: () => readBody(request, rule, bytes, true) };
  }

  /**
   * Room for a body that the route reads by itself, given back with the answer.
   * @param username as of `read`
   */
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

  /** Neither accounts in one network nor addresses of one account take the room of all others. */
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

/** One reader of bodies, whose room all routes share. */
@Global()
@Module({ providers: [Bodies], exports: [Bodies] })
export class BodiesModule {}

const OWN_BODY_METADATA = 'switchboard:own-body';

/** The route reads its body by itself, when the caller has proved something that no guard knows of. */
export const OwnBody = (): MethodDecorator => SetMetadata(OWN_BODY_METADATA, true);

const COMPARED_BODY_METADATA = 'switchboard:compared-body';

/** The body of the route is read also where no parameter takes it: requests are compared by it. */
export const ComparedBody = (): MethodDecorator => SetMetadata(COMPARED_BODY_METADATA, true);

/** The place of the parameter with `@Body()`; null = the handler has none. */
export function bodyParameter(controller: Type, handler: object): number | null {
  const { name } = handler as { name: string };
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, { index: number }>;
  const [, body] = Object.entries(args).find(([key]) => key.startsWith(`${RouteParamtypes.BODY}:`)) ?? [];
  return body?.index ?? null;
}

/**
 * Reads the body of a request whose caller may send it: the last of the guards that can refuse one, so that nothing is read of a
 * path that is unknown or takes no body, of a caller without a right, or of one beyond a limit.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly own = new RouteRules<true>(OWN_BODY_METADATA);
  private readonly compared = new RouteRules<true>(COMPARED_BODY_METADATA);
  private readonly taking = new WeakMap<object, boolean>();

  constructor(private readonly bodies: Bodies) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<MeteredRequest>();
    if (request.body !== undefined) return true; // it says who acts
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

/** A body of 64 MB is several times that once it is parsed: so many of them at once, and of one account or network. */
const AT_ONCE = { permits: 3, each: 2, patienceMs: 30_000, waiting: 8 };
const RETRY_SECONDS = 5;

/** Of all routes together: each module that has such a route makes a reader of its own. */
const LARGE = new KeyedSemaphore<string>(AT_ONCE, () => tooMany(RETRY_SECONDS));

/** Whether a body may hold more than `limit` bytes: of a compressed one, or one in chunks, no length tells. */
export function mayBeLarge(headers: IncomingHttpHeaders, limit: number): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const isPlain = encoding === '' || encoding === 'identity';
  return !(isPlain && Number(headers['content-length'] ?? Number.NaN) <= limit);
}

/** Who has a share: neither accounts in one network nor addresses of one account keep all others waiting. */
function sharersOf(request: MeteredRequest): string[] {
  const ip = clientIp(request);
  return [`account:${request.actor?.account.username ?? ''}`, `network:${networksOf(ip)[0]?.name ?? ip}`];
}

/**
 * Reads a body that may be larger than others. Bodies over `BODY_LIMIT` are taken a few at a time, until they are answered,
 * because they are kept in memory for so long. Others wait for them, so they have to come at a pace.
 */
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

/** The route takes JSON up to the limit of its path (reference/requests#bodies), whatever `BODY_LIMIT` is. */
export const LargeJson = (): MethodDecorator => UseInterceptors(LargeJsonReader);
