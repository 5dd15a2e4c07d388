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

export interface TestSend {
  channel: Channel;
  route: { id: number; name: string };
  sender: { accountId: number; timeZone: string; createdBy: string };
  /** in the channel's address format */
  to: string;
  text: string;
  /** the workers' fault report for the route; null = none */
  faultOf: () => Promise<string | null>;
}

export interface TestResult {
  requestId: string;
  /** not_sent = will never leave; unknown = may have left */
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
  /** ms without a successful send; null = no send failed */
  stalledMs: number | null;
}

const POLL_EVERY_MS = 100;
/** Wait for the carrier's answer, then cancel an unsent message. */
const PATIENCE_MS = 15_000;
/** Wait for a stalled send: a carrier in trouble gets one message every two seconds, so it has been tried by then. */
const IN_VAIN_MS = 2_200;
/** By then a batch in flight has ended, or its outcome is unknown. */
const LAST_WORD_MS = 3_000;
/** A campaign must name a balance even if it is free. */
const BALANCE: BalanceName = 'gsm_credits';

/** Sends a staff message through one route by the ordinary engine, with its normal receipt, report and timeline. */
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

  /** Sends one message; `alongside` joins the accepting transaction. */
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

  /** Returns the recipient once it is no longer pending, or its current row after `forMs`. */
  private async settled(campaignId: number, forMs: number, faultOf: TestSend['faultOf']): Promise<Found | null> {
    for (const started = performance.now(); ;) {
      const found = await this.find(campaignId);
      const isOver = performance.now() - started >= forMs || (found && isInVain(found) && (await faultOf()) !== null);
      if (!found || isOver || found.status !== RecipientStatus.Pending) return found;
      await sleep(POLL_EVERY_MS);
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

/** True if no worker holds it, and the workers that tried found no usable route. */
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
  // A message the carrier accepted counts as accepted even if a receipt failed it since.
  if (status !== RecipientStatus.Failed || providerMessageId !== null) return { ...result, outcome: 'accepted' };
  return { ...result, outcome: attempts > 0 ? 'rejected' : 'not_sent' };
}
