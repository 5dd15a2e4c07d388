import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AccountClosing, AccountClosings, AuditLog, type ClosingListener } from '../accounts/index.js';
import { CampaignStates } from '../engine/index.js';

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

  async closed(tx: EntityManager, { accountId, actor }: AccountClosing): Promise<void> {
    for (const { id, requestId, channel, state } of await this.states.unsentOf(tx, accountId)) {
      if (!(await this.states.change(tx, id, 'pause'))) continue;
      const details = { channel, from: state, to: 'paused', reason: 'account deactivated' };
      await this.audit.record(tx, { actor, action: 'campaign.pause', subject: requestId, details });
    }
  }
}
