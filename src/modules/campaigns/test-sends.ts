import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { RelayNotifier } from '../../platform/queues/index.js';
import type { BalanceName } from '../credits/index.js';
import {
  type AcceptedCampaign,
  CampaignAcceptance,
  CampaignStates,
  type Channel,
  Channels,
  type Content,
  RecipientStatus,
} from '../engine/index.js';

/** One message over one route, to see whether it carries. */
export interface TestSend {
  channel: Channel;
  route: { id: number; name: string };
  /** whose campaign it is: staff's own */
  sender: { accountId: number; timeZone: string; createdBy: string };
  /** as the channel takes it */
  to: string;
  text: string;
  /** what the workers say of the route; null while they have nothing to say against it */
  faultOf: () => Promise<string | null>;
}

/** What became of it. */
export interface TestResult {
  requestId: string;
  /** the carrier took it, or refused it; it has not left and will not; or it may have left */
  outcome: 'accepted' | 'rejected' | 'not_sent' | 'unknown';
  providerMessageId: string | null;
  errorCode: number | null;
  reason: string | null;
}

interface Found {
  status: RecipientStatus;
  attempts: number;
  errorCode: number | null;
  reason: string | null;
  providerMessageId: string | null;
  isHeld: number;
  /** for how long nothing of it got through, milliseconds; null = nothing has been tried in vain */
  stalledMs: number | null;
}

const LOOK_EVERY_MS = 100;
/** A carrier that has not answered by then is not waited for: what has not left is cancelled. */
const PATIENCE_MS = 15_000;
/**
 * A carrier that was tried in vain is not waited for: by then an upstream in trouble has had the one message that it gets
 * every two seconds.
 */
const IN_VAIN_MS = 2_200;
/** A window that has it already ends by then, or its outcome is unknown. */
const LAST_WORD_MS = 3_000;
/** It costs nothing; a campaign names a balance all the same. */
const BALANCE: BalanceName = 'gsm_credits';

/**
 * Sends a message of staff over one route, by the ordinary engine and without a charge: so a worker's own connection carries it, and
 * its receipt, report and timeline are those of any other message.
 */
@Injectable()
export class TestSends {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly channels: Channels,
    private readonly acceptance: CampaignAcceptance,
    private readonly states: CampaignStates,
    private readonly relay: RelayNotifier,
  ) {}

  /** @param alongside goes into the transaction that accepts it */
  async send(test: TestSend, alongside: (tx: EntityManager, requestId: string) => Promise<void>): Promise<TestResult> {
    const { channel, sender, text } = test;
    const accept = (
      content: Content,
      keep?: (tx: EntityManager, campaignId: number) => Promise<void>,
    ): Promise<AcceptedCampaign> =>
      this.acceptance.accept(this.draftOf(test, content), async (tx, accepted) => {
        await keep?.(tx, accepted.id);
        await alongside(tx, accepted.requestId);
      });
    const { id, requestId } = channel.testing
      ? await channel.testing(this.channels.services, { accountId: sender.accountId, text }, accept)
      : await accept({ message: text });
    const first = await this.settled(id, PATIENCE_MS, test.faultOf);
    if (first && first.status !== RecipientStatus.Pending) return { requestId, ...resultOf(first) };
    await this.cancel(id, test);
    const last = await this.settled(id, LAST_WORD_MS, () => Promise.resolve(null));
    return { requestId, ...(last ? resultOf(last) : NOT_SENT) };
  }

  private draftOf({ channel, route, sender, to }: TestSend, content: Content) {
    return {
      accountId: sender.accountId,
      channel: channel.name,
      requestId: { make: () => channel.newRequestId(sender.timeZone, this.environment) },
      broadcastName: `Test of ${route.name}`,
      service: route.name,
      routeId: route.id,
      content,
      balance: BALANCE,
      unitCredits: 0,
      recipients: [to],
      initialState: 'accepted' as const,
    };
  }

  /** @returns its recipient once it is more than pending, or as it stands when the time is over */
  private async settled(campaignId: number, forMs: number, faultOf: TestSend['faultOf']): Promise<Found | null> {
    for (const started = performance.now(); ;) {
      const found = await this.find(campaignId);
      const isOver = performance.now() - started >= forMs || (found && isInVain(found) && (await faultOf()) !== null);
      if (!found || isOver || found.status !== RecipientStatus.Pending) return found;
      await sleep(LOOK_EVERY_MS);
    }
  }

  private async find(campaignId: number): Promise<Found | null> {
    const [row] = await this.dataSource.query<Found[]>(
      `SELECT r.status, r.attempts, r.error_code AS errorCode, r.error_message AS reason,
         (SELECT p.provider_message_id FROM provider_messages p WHERE p.campaign_id = r.campaign_id AND p.seq = 1
          ORDER BY p.item LIMIT 1) AS providerMessageId,
         EXISTS (SELECT 1 FROM campaign_lanes l WHERE l.campaign_id = r.campaign_id AND l.lease_until > UTC_TIMESTAMP(3)) AS isHeld,
         (SELECT TIMESTAMPDIFF(MICROSECOND, l.stalled_since, UTC_TIMESTAMP(3)) DIV 1000 FROM campaign_lanes l
          WHERE l.campaign_id = r.campaign_id LIMIT 1) AS stalledMs
       FROM campaign_recipients r WHERE r.campaign_id = ? AND r.seq = 1`,
      [campaignId],
    );
    return row ?? null;
  }

  private async cancel(campaignId: number, { channel, route }: TestSend): Promise<void> {
    await inTransaction(this.dataSource, (tx) => this.states.change(tx, campaignId, 'cancel'));
    this.relay.notify([{ channel: channel.name, routeId: route.id }]);
  }
}

/** No worker holds it, and those that looked have found no way for it. */
const isInVain = ({ isHeld, stalledMs }: Found): boolean =>
  Number(isHeld) === 0 && Number(stalledMs ?? 0) >= IN_VAIN_MS;

const NOT_SENT = { outcome: 'not_sent', providerMessageId: null, errorCode: null, reason: null } as const;

function resultOf(found: Found): Omit<TestResult, 'requestId'> {
  const { status, attempts, errorCode, reason, providerMessageId } = found;
  const result = { providerMessageId, errorCode, reason };
  if (status === RecipientStatus.Pending)
    return { ...result, outcome: Number(found.isHeld) === 1 ? 'unknown' : 'not_sent' };
  if (status === RecipientStatus.Cancelled) return { ...result, outcome: 'not_sent' };
  if (status === RecipientStatus.Unknown) return { ...result, outcome: 'unknown' };
  // What the carrier took, and a receipt has failed since, was accepted.
  if (status !== RecipientStatus.Failed || providerMessageId !== null) return { ...result, outcome: 'accepted' };
  return { ...result, outcome: attempts > 0 ? 'rejected' : 'not_sent' };
}
