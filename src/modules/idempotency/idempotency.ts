import { applyDecorators, createParamDecorator, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import { ApiErrorsOf, ComparedBody } from '../../platform/http/index.js';
import { safeError } from '../../platform/observability/index.js';
import { type AuthenticatedRequest, isTesting } from '../accounts/index.js';
import { idempotencyErrors } from './idempotency.errors.js';
import { type HeldKey, IdempotencyKeys, type NewKey } from './idempotency.store.js';
import {
  type Endpoint,
  endpointOf,
  type IdempotentRequest,
  KEPT_HOURS,
  LONGEST_KEY,
  requestDigest,
} from './idempotent-request.js';

export type Alongside<Made> = (tx: EntityManager, made: Made) => Promise<void>;

/** The outcome of a request, stored in the transaction of its effect. */
export interface KeptOutcome<Made> {
  key: NewKey;
  outcomeOf: (made: Made) => unknown;
  /** called after the storing transaction has committed */
  stored: () => void;
}

/** Stores a request's outcome in the transaction of its effect. */
export class OutcomeKeeper<Outcome> {
  isStored = false;

  constructor(private readonly key: NewKey) {}

  of<Made>(outcomeOf: (made: Made) => Outcome): KeptOutcome<Made> {
    return { key: this.key, outcomeOf, stored: () => (this.isStored = true) };
  }
}

/** Implements `Idempotency-Key` (reference/idempotency#same-request) for every sending POST. */
@Injectable()
export class Idempotency {
  private readonly logger = new Logger(Idempotency.name);
  /** digests of running requests by account, endpoint and key */
  private readonly running = new Map<string, Buffer>();

  constructor(private readonly keys: IdempotencyKeys) {}

  /**
   * Runs validated work whose single transaction stores the key too; a refusal or rollback stores nothing. Of two concurrent
   * processes one commits, the other returns the stored outcome (its `work` fails with an AppError or duplicate key). `request`
   * null = no key. @throws AppError unprocessable for another body, conflict while the first request runs
   */
  async once<Outcome>(
    request: IdempotentRequest | null,
    work: (keeper: OutcomeKeeper<Outcome> | null) => Promise<Outcome>,
  ): Promise<Outcome> {
    if (!request) return work(null);
    const found = await this.earlier<Outcome>(request);
    if ('outcome' in found) return found.outcome;
    const name = JSON.stringify([request.accountId, request.endpoint, request.key]);
    const other = this.running.get(name);
    if (other) throw other.equals(request.digest) ? idempotencyErrors.running() : idempotencyErrors.otherBody();
    this.running.set(name, request.digest);
    try {
      return await this.kept({ request, replaces: found.replaces }, work);
    } finally {
      this.running.delete(name);
    }
  }

  private async kept<Outcome>(
    key: NewKey,
    work: (keeper: OutcomeKeeper<Outcome>) => Promise<Outcome>,
  ): Promise<Outcome> {
    const keeper = new OutcomeKeeper<Outcome>(key);
    try {
      const outcome = await work(keeper);
      // An effect that existed before, under the client's id, has no transaction to store the key in.
      if (!keeper.isStored) await this.quietly(() => this.keys.storeAlone({ key, outcome }));
      return outcome;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The same request in another process may have spent the credits, or stored the key.
      const found = await this.earlier<Outcome>(key.request);
      if ('outcome' in found) return found.outcome;
      throw error;
    }
  }

  private async earlier<Outcome>(
    request: IdempotentRequest,
  ): Promise<{ outcome: Outcome } | { replaces: string | null }> {
    const found = await this.keys.earlier(request);
    if (found.kind === 'other_body') throw idempotencyErrors.otherBody();
    if (found.kind === 'running') throw idempotencyErrors.running();
    return found.kind === 'ended' ? { outcome: found.outcome as Outcome } : { replaces: found.replaces };
  }

  /**
   * Stores the key before work that calls a provider, so nothing is sent twice. `refused`: true if certainly nothing was sent.
   */
  async onceLeaving<Outcome>(
    request: IdempotentRequest | null,
    work: () => Promise<Outcome>,
    refused: (error: unknown) => boolean,
  ): Promise<Outcome> {
    if (!request) return work();
    const taken = await this.keys.take(request);
    if (taken.kind === 'other_body') throw idempotencyErrors.otherBody();
    if (taken.kind === 'running') throw idempotencyErrors.running();
    return taken.kind === 'held' ? this.settled(taken.held, work, refused) : (taken.outcome as Outcome);
  }

  private async settled<Outcome>(
    held: HeldKey,
    work: () => Promise<Outcome>,
    refused: (error: unknown) => boolean,
  ): Promise<Outcome> {
    let outcome: Outcome;
    try {
      outcome = await work();
    } catch (error) {
      if (refused(error)) await this.quietly(() => this.keys.free(held));
      throw error;
    }
    await this.quietly(() => this.keys.endAlone(held, outcome));
    return outcome;
  }

  /** Logs database errors without failing: the work is done, so the client gets its outcome. */
  private async quietly(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.logger.error({ err: safeError(error) }, 'The end of a request with an Idempotency-Key could not be stored');
    }
  }
}

const HEADER = 'Idempotency-Key';

/** Documents the `Idempotency-Key` header and its errors in Swagger. */
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

/** Injects the request's key on `@Authenticated` routes; null = none. @throws AppError invalid for a key over 255 characters */
export const IdempotencyKey = createParamDecorator(
  async (endpoint: Endpoint, context: ExecutionContext): Promise<IdempotentRequest | null> => {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const key = request.header(HEADER)?.trim() ?? '';
    if (key === '') return null;
    if (key.length > LONGEST_KEY) throw idempotencyErrors.tooLong();
    const account = request.actor?.account;
    if (account === undefined) throw new Error('IdempotencyKey on a route without @Authenticated');
    const { username: _, ...parameters } = request.params;
    const digest = await requestDigest(parameters, request.body);
    return { accountId: account.id, endpoint: endpointOf(endpoint, isTesting(account)), key, digest };
  },
);
