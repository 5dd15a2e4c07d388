import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AccountClosing, AccountClosings, AuditLog, type ClosingListener } from '../accounts/index.js';
import { CampaignStates } from '../engine/index.js';

/** Campaigns; a transaction of more would hold up others for too long. */
const CAMPAIGNS_A_STEP = 500;

/**
 * Deactivating an account pauses its campaigns (reference/engine#closed-accounts), those that have not sent everything;
 * each pause stands in the audit log. It goes on only when it is resumed. What is accepted at the same moment the worker
 * pauses at its turn.
 */
@Injectable()
export class ClosedAccounts implements ClosingListener {
  constructor(
    private readonly states: CampaignStates,
    private readonly audit: AuditLog,
    closings: AccountClosings,
  ) {
    closings.register(this);
  }

  async stopSome(tx: EntityManager, { accountId, actor }: AccountClosing): Promise<boolean> {
    const ids = await this.states.unsentOf(tx, accountId, CAMPAIGNS_A_STEP);
    const paused = await this.states.pauseAll(tx, ids);
    const records = paused.map(({ requestId, channel, state }) => ({
      actor,
      action: 'campaign.pause',
      subject: requestId,
      accountId,
      details: { channel, from: state, to: 'paused', reason: 'account deactivated' },
    }));
    await this.audit.recordAll(tx, records);
    return ids.length === CAMPAIGNS_A_STEP;
  }
}
