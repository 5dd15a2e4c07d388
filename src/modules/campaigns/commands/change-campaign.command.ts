import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { assertSeen } from '../../../kernel/revision.js';
import { inTransaction } from '../../../platform/database/index.js';
import { RelayNotifier } from '../../../platform/queues/index.js';
import { type Actor, AuditLog } from '../../accounts/index.js';
import {
  CAMPAIGN_REVISION,
  type CampaignChange,
  CampaignReader,
  type CampaignState,
  CampaignStates,
} from '../../engine/index.js';
import { campaignOf } from '../campaign-access.js';
import { campaignErrors } from '../campaigns.errors.js';

/**
 * Pauses, resumes, cancels, approves or rejects a campaign of the actor (staff: of any account, with an entry in the audit log
 * in the same transaction). Only staff approve and reject. Answers the state it is in afterwards.
 * @throws AppError not_found `Campaign not found`; conflict `Campaign is already <state>`, `Changed since you looked`
 */
export class ChangeCampaignCommand extends Command<CampaignState> {
  /**
   * @param revision of a decision: what was looked at; null = not named
   * @param reason of a rejection, for the owner; null = none is given
   */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly change: CampaignChange,
    readonly revision: number | null = null,
    readonly reason: string | null = null,
  ) {
    super();
  }
}

@CommandHandler(ChangeCampaignCommand)
export class ChangeCampaignHandler implements ICommandHandler<ChangeCampaignCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reader: CampaignReader,
    private readonly states: CampaignStates,
    private readonly audit: AuditLog,
    private readonly relay: RelayNotifier,
  ) {}

  async execute({ actor, requestId, change, revision, reason }: ChangeCampaignCommand): Promise<CampaignState> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    const state = await inTransaction(this.dataSource, async (tx) => {
      const before = (await this.states.locked(tx, campaign.id)) ?? campaign.state;
      if (!(await this.states.change(tx, campaign.id, change))) throw campaignErrors.already(before);
      assertSeen(CAMPAIGN_REVISION, revision);
      if (reason !== null) await this.states.explain(tx, campaign.id, reason);
      const after = (await this.states.locked(tx, campaign.id)) ?? before;
      const details = { channel: campaign.channel, from: before, to: after, ...(reason !== null && { reason }) };
      await this.audit.record(tx, {
        actor: actor.account,
        action: `campaign.${change}`,
        subject: campaign.requestId,
        accountId: campaign.accountId,
        details,
      });
      return after;
    });
    this.relay.notify([{ channel: campaign.channel, routeId: campaign.routeId }]);
    return state;
  }
}
