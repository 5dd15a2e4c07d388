import { Injectable } from '@nestjs/common';
import { now, readSchedule } from '../../../kernel/clock.js';
import { newRequestId } from '../../../kernel/request-id.js';
import {
  type AcceptedCampaign,
  CampaignAcceptance,
  type CampaignDraft,
  type DraftIdentity,
} from '../../engine/index.js';
import type { BalanceName } from '../../credits/index.js';
import { Idempotency, type IdempotentRequest, type OutcomeKeeper } from '../../idempotency/index.js';
import { RouteDirectory } from '../../providers/index.js';
import { broadcastErrors } from './broadcasts.errors.js';
import type { Broadcast } from './domain/broadcast.js';

/** Who pays, and in whose time zone the request id is dated. */
export interface BroadcastSender {
  accountId: number;
  timeZone: string;
}

/** What a kind of broadcast says about itself when one is accepted. */
export interface BroadcastTerms {
  channel: 'sms' | 'unofficial';
  /** start of generated request ids (reference/engine#request-ids) */
  idPrefix: string;
  balance: BalanceName;
  /** credits per contact */
  unitCredits: number;
  /** the channel's own payload */
  content: Record<string, unknown>;
  /** caller-supplied request id, with what makes two requests under it the same */
  given?: { id: string; fingerprint: Buffer };
}

/** What the sender is told (reference/engine#request-ids). */
export interface AcceptedBroadcast {
  requestId: string;
  /** credits per contact times contacts */
  credits: number;
}

/** Chooses moment and route of a broadcast that passed its error table, and asks the engine to accept it. */
@Injectable()
export class BroadcastSubmission {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly acceptance: CampaignAcceptance,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * Routed, charged, stored and handed to the engine in one transaction.
   * @param idempotent the request, where it has an `Idempotency-Key`
   * @throws AppError `conflict` when a caller-supplied id belongs to another request, `invalid` for a past
   * schedule_time, `unavailable` without a usable route (before the debit), `invalid` when the credits do not suffice
   */
  accept(
    sender: BroadcastSender,
    broadcast: Broadcast,
    terms: BroadcastTerms,
    idempotent: IdempotentRequest | null,
  ): Promise<AcceptedBroadcast> {
    return this.idempotency.once<AcceptedBroadcast>(idempotent, (keeper) =>
      this.submit(sender, broadcast, terms, keeper),
    );
  }

  private async submit(
    sender: BroadcastSender,
    broadcast: Broadcast,
    terms: BroadcastTerms,
    keeper: OutcomeKeeper<AcceptedBroadcast> | null,
  ): Promise<AcceptedBroadcast> {
    const { channel, idPrefix, balance, unitCredits, content, given } = terms;
    const { broadcastName, service, receivers, schedule } = broadcast;
    const { accountId, timeZone } = sender;
    const identity: DraftIdentity = {
      accountId,
      requestId: given ? { given: given.id } : { make: () => newRequestId(idPrefix, 6, now(), timeZone) },
      ...(given && { fingerprint: given.fingerprint }),
    };
    // Answered although its schedule_time has passed, or no route is left.
    const earlier = await this.acceptance.repeated(identity);
    if (earlier) return acceptedBroadcast(earlier);
    const scheduledAt = readSchedule(schedule, timeZone, now());
    if (scheduledAt === undefined) throw broadcastErrors.scheduleTime();
    const route = await this.routes.resolve(channel, service);
    if (!route) throw broadcastErrors.noRoute();
    const draft: CampaignDraft = {
      ...identity,
      channel,
      broadcastName,
      service,
      routeId: route.id,
      content,
      balance,
      unitCredits,
      receivers,
      initialState: 'accepted',
      ...(scheduledAt && { scheduledAt }),
    };
    return acceptedBroadcast(await this.acceptance.accept(draft, keeper?.alongside(acceptedBroadcast)));
  }
}

const acceptedBroadcast = ({ requestId, unitCredits, totalRows }: AcceptedCampaign): AcceptedBroadcast => ({
  requestId,
  credits: unitCredits * totalRows,
});
