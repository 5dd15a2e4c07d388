import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AppError } from '../../kernel/errors.js';
import type { FrontEnvironment } from '../../platform/config/index.js';
import {
  ANONYMOUS_PACE,
  beginBody,
  BodyBudget,
  clientAddressReader,
  errorBody,
  hasBody,
  HSTS,
  inPace,
  isCompressed,
  readBytes,
  requestIdOf,
  STATUS_OF,
} from '../../platform/http/index.js';
import { Drain, Metrics, ROOT_LOGGER, safeError } from '../../platform/observability/index.js';
import { Forwarder, OutboundError } from '../../platform/outbound/index.js';
import { networksOf } from '../../platform/security/index.js';
import { CellChooser, wantsBody } from './cell-chooser.js';
import { CellList, FRONT_ENVIRONMENT } from './cell-list.js';
import { Unknowable } from './cell-lookups.js';
import { Refusal, refusals } from './front.errors.js';
import { OwnPages } from './own-pages.js';
import { CALLER, callerOf, readTarget, ruleOf, type Shape, type Target } from './path-rules.js';

const MB = 1024 * 1024;
const MOST_HELD_BYTES = 64 * MB;
/** Share of one network, or one body if BODY_LIMIT is larger, so that no network blocks the others. */
const MOST_OF_NETWORK = MOST_HELD_BYTES / 4;

interface WholeBody {
  bytes: Buffer;
  release: () => void;
}

/** Reads whole bodies within a total limit and a limit per network, because the senders are still unauthenticated. */
@Injectable()
export class WholeBodies {
  private readonly budget: BodyBudget;

  constructor(@Inject(FRONT_ENVIRONMENT) { BODY_LIMIT }: Pick<FrontEnvironment, 'BODY_LIMIT'>) {
    this.budget = new BodyBudget(Math.max(MOST_HELD_BYTES, 2 * BODY_LIMIT), Math.max(MOST_OF_NETWORK, BODY_LIMIT));
  }

  /** @throws AppError: body over the limit, compressed, too slow, or too many bytes held */
  async read(request: IncomingMessage, response: ServerResponse, limit: number, ip: string): Promise<WholeBody> {
    const holding = this.budget.open(() => [networksOf(ip)[0]?.name ?? ip]);
    beginBody(request, response);
    try {
      const bytes = await inPace(request, ANONYMOUS_PACE, (signal) =>
        readBytes(request, { limit, inflates: false, holding, signal }),
      );
      return { bytes, release: () => holding.release() };
    } catch (error) {
      holding.release();
      throw error;
    }
  }
}

const KB = 1024;
/** Limit of logins, registrations and reports, as in a cell; broadcasts have BODY_LIMIT. */
const SMALL = 64 * KB;

const SECRET_PATH = /^\/provider\//i;

export interface WatchedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  id: string;
  ip: string;
  /** the cell that answers; '' = the front itself */
  cell: string;
}

/** The metric and the log lines of requests at the front. */
@Injectable()
export class FrontLog {
  private readonly durations;

  constructor(
    metrics: Metrics,
    @Inject(ROOT_LOGGER) private readonly logger: Logger,
  ) {
    this.durations = metrics.histogram(
      'front_request_duration_seconds',
      'Time from the request to the end of its answer, by the cell that gave it',
      ['cell', 'status'],
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    );
  }

  /** Measures and logs the request when its answer ends. */
  watch(watched: WatchedRequest, path: string): void {
    const { request, response, id, ip } = watched;
    const begun = performance.now();
    response.once('close', () => {
      const ms = performance.now() - begun;
      const { cell } = watched;
      const status = response.statusCode;
      if (cell !== '') this.durations.labels(cell, String(status)).observe(ms / 1000);
      if (!this.logger.isLevelEnabled('info')) return;
      // the query may contain a password, a callback's path a secret
      const shown = SECRET_PATH.test(path) ? '/provider/…' : path;
      const line = {
        requestId: id,
        method: request.method,
        path: shown,
        status,
        ms: Math.round(ms * 10) / 10,
        ip,
        cell,
      };
      this.logger.info(line, response.writableFinished ? 'request' : 'request broken off');
    });
  }

  fault(text: string, error: unknown, about: { requestId: string; cell?: string }): void {
    this.logger.error({ ...about, err: safeError(error) }, text);
  }
}

interface Passing extends WatchedRequest {
  proto: string;
  shape: Shape;
}

/** Finds the cell of each request and forwards it, or answers itself. */
@Injectable()
export class FrontRequests {
  private readonly addressOf;

  constructor(
    private readonly chooser: CellChooser,
    private readonly cells: CellList,
    private readonly forwarder: Forwarder,
    private readonly bodies: WholeBodies,
    private readonly pages: OwnPages,
    private readonly drain: Drain,
    private readonly log: FrontLog,
    @Inject(FRONT_ENVIRONMENT) private readonly environment: FrontEnvironment,
  ) {
    this.addressOf = clientAddressReader(environment.TRUST_PROXY);
  }

  /** Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { ip, proto } = this.addressOf(request);
    const id = requestIdOf(request.headers);
    const passing: Passing = { request, response, id, ip, proto, shape: 'standard', cell: '' };
    this.drain.watch(response);
    if (proto === 'https') response.setHeader(...HSTS);
    const target = readTarget(request.url ?? '');
    this.log.watch(passing, target?.path ?? '');
    try {
      if (!target) throw refusals.target();
      await this.pass(passing, target);
    } catch (error) {
      this.answer(passing, error);
    }
  }

  private async pass(passing: Passing, target: Target): Promise<void> {
    const { request, response } = passing;
    const rule = ruleOf(target.path);
    const way = rule?.way ?? { by: 'first' };
    passing.shape = rule?.shape ?? 'standard';
    if (way.by === 'none') throw refusals.unknownPath();
    const named = this.chooser.named(target, request.headers);
    if (named !== null) return this.forward(passing, target, [named], null);
    if (way.by === 'front') return this.pages.answer(target.path, request, response, passing.id);
    if (!wantsBody(way) || !hasBody(request)) {
      const asked = { target, way, headers: request.headers, ip: passing.ip, body: null };
      return this.forward(passing, target, await this.chooser.candidates(asked), null);
    }
    const isSender = way.by === 'body' && !way.login;
    // the cell inflates bodies only for callers named in the headers
    if (isSender && isCompressed(request.headers) && callerOf(request.headers) !== null) {
      const asked = { target, way: CALLER, headers: request.headers, ip: passing.ip, body: null };
      return this.forward(passing, target, await this.chooser.candidates(asked), null);
    }
    const limit = isSender ? this.environment.BODY_LIMIT : SMALL;
    const body = await this.bodies.read(request, response, limit, passing.ip);
    try {
      const asked = { target, way, headers: request.headers, ip: passing.ip, body: body.bytes };
      await this.forward(passing, target, await this.chooser.candidates(asked), body);
    } finally {
      body.release();
    }
  }

  /** Tries cells in order; a streamed body can be sent only once. */
  private async forward(
    passing: Passing,
    target: Target,
    candidates: readonly string[],
    body: WholeBody | null,
  ): Promise<void> {
    const replayable = body !== null || !hasBody(passing.request);
    for (const cell of replayable ? candidates : candidates.slice(0, 1)) {
      if (await this.reaches(passing, target, cell, body)) return;
    }
    throw refusals.unreachable();
  }

  /** Returns false if nothing was sent. */
  private async reaches(
    passing: Passing,
    { path, search }: Target,
    cell: string,
    body: WholeBody | null,
  ): Promise<boolean> {
    const { request, response, id, ip, proto } = passing;
    const leave = this.cells.enter(cell);
    if (!leave) return false;
    passing.cell = cell;
    const headers = {
      'x-request-id': id,
      'x-forwarded-for': ip,
      'x-forwarded-proto': proto,
      'x-forwarded-host': null,
      forwarded: null,
      'x-cell': null,
      ...(body && { 'content-length': String(body.bytes.length) }),
    };
    try {
      const origin = this.cells.urlOf(cell);
      const forwarding = { origin, path: path + search, headers, body: body?.bytes, answered: leave };
      if (body === null) beginBody(request, response);
      await this.forwarder.forward(request, response, forwarding);
      if (response.headersSent) this.cells.met(cell);
      return true;
    } catch (error) {
      if (error instanceof OutboundError && !error.sent) {
        this.cells.missed(cell);
        return false;
      }
      this.log.fault('a cell broke off', error, { requestId: id, cell });
      throw refusals.broken();
    } finally {
      leave();
    }
  }

  private answer({ response, id, shape }: Passing, error: unknown): void {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const refusal = this.refusalOf(error, id);
    const { status, retryAfterSeconds } = refusal;
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
    response.setHeader('X-Request-Id', id);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.writeHead(status);
    response.end(JSON.stringify(errorBody(shape, status, refusal)));
  }

  private refusalOf(error: unknown, id: string): Refusal {
    if (error instanceof Refusal) return error;
    if (error instanceof AppError) {
      return new Refusal(STATUS_OF[error.kind], error.code, error.message, error.retryAfterSeconds, error.help);
    }
    if (error instanceof Unknowable) return refusals.unreachable();
    this.log.fault('a request could not be handed on', error, { requestId: id });
    return refusals.broken();
  }
}
