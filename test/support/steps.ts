import { DataSource } from 'typeorm';
import { expect } from 'vitest';
import { CampaignReader } from '../../src/modules/campaigns/index.js';
import { CampaignAcceptance, RecipientStatus } from '../../src/modules/engine/index.js';
import { endingsOf, type LaneSnapshot } from '../../src/modules/engine/lanes.js';
import { BatchResults } from '../../src/modules/engine/settle/batch-results.js';
import type { BatchResult } from '../../src/modules/engine/settle/recipient-change.js';
import { CampaignStates } from '../../src/modules/engine/state/campaign-states.js';
import type { LanesLeft } from '../../src/modules/engine/state/lane-endings.js';
import { LaneStore } from '../../src/modules/engine/state/lane-store.js';
import type { Receipt, SendOutcome } from '../../src/modules/providers/index.js';
import { numbers } from './client.js';
import type { Engine } from './engine.js';
import { claimUpTo, pending, snapshotOf } from './lane-worker.js';

/** What a worker does with a campaign, without the carrier, step by step. */
export class Steps {
  private readonly dataSource: DataSource;
  private readonly lanes: LaneStore;

  constructor(private readonly engine: Engine) {
    this.dataSource = engine.part(DataSource);
    this.lanes = engine.part(LaneStore);
  }

  /** A campaign of an account of its own that has begun. */
  async accept(username: string, total: number): Promise<{ id: number; requestId: string; accountId: number }> {
    const accountId = await this.engine.account(username, total);
    const accepted = await this.engine.part(CampaignAcceptance).accept(this.engine.draft(accountId, numbers(total)));
    await this.engine.part(CampaignStates).begin(this.dataSource.manager, [accepted.id], 60_000);
    return { id: accepted.id, requestId: accepted.requestId, accountId };
  }

  /** One whole batch: claimed, answered for each recipient by `outcome`, written. */
  async batch(
    campaignId: number,
    size: number,
    outcome: (seq: number) => SendOutcome,
  ): Promise<{ lane: LaneSnapshot; end: LanesLeft }> {
    const lane = await this.lane(campaignId);
    expect(await claimUpTo(this.lanes, lane, lane.nextSeq + size)).toBe(true);
    const recipients = await pending(this.dataSource, lane, lane.nextSeq, lane.nextSeq + size);
    const outcomes = recipients.map((recipient): BatchResult => ({ recipient, outcome: outcome(recipient.seq) }));
    return { lane, end: await this.engine.part(BatchResults).flush(outcomes, endingsOf([lane])) };
  }

  lane(campaignId: number): Promise<LaneSnapshot> {
    return snapshotOf(this.lanes, campaignId);
  }

  async statuses(campaignId: number): Promise<string[]> {
    const recipients = await this.engine.part(CampaignReader).recipients(campaignId, { afterSeq: 0, limit: 1_000 });
    return recipients.map((entry) => RecipientStatus[entry.status]);
  }
}

export const receiptOf = (
  providerMessageId: string,
  status: Receipt['status'],
  fields: Partial<Receipt> = {},
): Receipt => ({ providerMessageId, status, errorCode: null, errorText: null, receiver: null, ...fields });
