import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { assertSeen } from '../../../kernel/revision.js';
import { inTransaction } from '../../../platform/database/index.js';
import { RelayBell } from '../../../platform/queues/index.js';
import { AuditLog } from '../../accounts/index.js';
import { campaignOf, isForeign } from '../campaign-access.js';
import { campaignErrors } from '../campaigns.errors.js';
import { CAMPAIGN_REVISION, type CampaignState } from '../domain/campaign.js';
import type { CampaignChange } from '../domain/campaign-change.js';
import { CampaignReader } from '../persistence/campaign-reader.js';
import { CampaignStates } from '../persistence/campaign-states.js';
import { ChangeCampaign } from './change-campaign.command.js';

/** The desk's own decisions: in the audit log whosever campaign it is. */
const DECISIONS: ReadonlySet<CampaignChange> = new Set(['approve', 'reject'] as const);

@CommandHandler(ChangeCampaign)
export class ChangeCampaignHandler implements ICommandHandler<ChangeCampaign> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reader: CampaignReader,
    private readonly states: CampaignStates,
    private readonly audit: AuditLog,
    private readonly bell: RelayBell,
  ) {}

  async execute({ actor, requestId, change, revision }: ChangeCampaign): Promise<CampaignState> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    const state = await inTransaction(this.dataSource, async (tx) => {
      const before = (await this.states.locked(tx, campaign.id)) ?? campaign.state;
      if (!(await this.states.change(tx, campaign.id, change))) throw campaignErrors.already(before);
      assertSeen(CAMPAIGN_REVISION, revision);
      const after = (await this.states.locked(tx, campaign.id)) ?? before;
      if (isForeign(actor, campaign) || DECISIONS.has(change)) {
        const details = { channel: campaign.channel, from: before, to: after };
        await this.audit.record(tx, {
          actor: actor.account,
          action: `campaign.${change}`,
          subject: campaign.requestId,
          details,
        });
      }
      return after;
    });
    this.bell.ring();
    return state;
  }
}
