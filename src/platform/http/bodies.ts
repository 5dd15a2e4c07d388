import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { clientIp, networksOf } from '../security/index.js';
import { ANONYMOUS_LIMIT, type BodyRule, isTaken, readBody, ruleOf } from './body.js';
import { BodyBudget, type Holding } from './body-budget.js';
import { readBytes } from './body-bytes.js';
import { ANONYMOUS_PACE, inPace, KNOWN_PACE, LARGE_PACE, type Pace } from './body-pace.js';
import { PartTime } from '../concurrency/index.js';
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
