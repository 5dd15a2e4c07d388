import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { safeError } from '../../platform/observability/index.js';
import type { IdempotentRequest } from './domain/idempotent-request.js';
import { idempotencyErrors } from './idempotency.errors.js';
import { type HeldKey, IdempotencyKeys } from './persistence/idempotency-keys.js';

/** Further writes of the transaction in which something is made. */
export type Alongside<Made> = (tx: EntityManager, made: Made) => Promise<void>;

/** How a request that holds a key stores its outcome where its effect is stored. */
export class OutcomeKeeper<Outcome> {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly held: HeldKey,
  ) {}

  /**
   * @param outcomeOf what the answer is made of
   * @returns what the transaction of the effect is to write too; it throws `still running` when another request holds the
   * key by now, so that the effect is rolled back
   */
  alongside<Made>(outcomeOf: (made: Made) => Outcome): Alongside<Made> {
    return async (tx, made) => {
      if (!(await this.keys.end(tx, this.held, outcomeOf(made)))) throw idempotencyErrors.running();
    };
  }
}

/** What `Idempotency-Key` promises (reference/idempotency#same-request), for every sending POST. */
@Injectable()
export class Idempotency {
  private readonly logger = new Logger(Idempotency.name);

  constructor(private readonly keys: IdempotencyKeys) {}

  /**
   * Work whose effect is one transaction. Called after the request was judged, before state and credits. A refusal
   * frees the key; work that was broken off before its commit may be done again.
   * @param request null = no key: the work is done, and nothing else
   * @param work takes the keeper into its transaction
   * @returns what the work returned, now or the first time
   * @throws AppError unprocessable for another body, conflict while the first request runs
   */
  async once<Outcome>(
    request: IdempotentRequest | null,
    work: (keeper: OutcomeKeeper<Outcome> | null) => Promise<Outcome>,
  ): Promise<Outcome> {
    if (!request) return work(null);
    const taken = await this.take<Outcome>(request, false);
    if ('outcome' in taken) return taken.outcome;
    return this.settled(
      taken.held,
      () => work(new OutcomeKeeper<Outcome>(this.keys, taken.held)),
      () => true,
    );
  }

  /**
   * Work that calls a provider: the key is written before the call, and what may have left is never sent again.
   * @param refused true for an error after which certainly nothing has left
   */
  async onceLeaving<Outcome>(
    request: IdempotentRequest | null,
    work: () => Promise<Outcome>,
    refused: (error: unknown) => boolean,
  ): Promise<Outcome> {
    if (!request) return work();
    const taken = await this.take<Outcome>(request, true);
    return 'outcome' in taken ? taken.outcome : this.settled(taken.held, work, refused);
  }

  private async take<Outcome>(
    request: IdempotentRequest,
    leaves: boolean,
  ): Promise<{ held: HeldKey } | { outcome: Outcome }> {
    const taken = await this.keys.take(request, leaves);
    if (taken.kind === 'other_body') throw idempotencyErrors.otherBody();
    if (taken.kind === 'running') throw idempotencyErrors.running();
    return taken.kind === 'held' ? { held: taken.held } : { outcome: taken.outcome as Outcome };
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
    // Stored already when it had a transaction of its own; a call to a provider has none.
    await this.quietly(() => this.keys.endAlone(held, outcome));
    return outcome;
  }

  /** The client gets the outcome of its request even when the database is away. */
  private async quietly(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.logger.error({ err: safeError(error) }, 'The end of a request with an Idempotency-Key could not be stored');
    }
  }
}
