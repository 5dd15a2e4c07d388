import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { assertSeen } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { RelayNotifier } from '../../platform/queues/index.js';
import { AccountDirectory, type Actor, assertMaySend, assertRight, AuditLog, createdBy } from '../accounts/index.js';
import {
  type AcceptedCampaign,
  type CampaignRecord,
  type CampaignState,
  CampaignStates,
  Channels,
} from '../engine/index.js';
import { Idempotency, type IdempotentRequest, type OutcomeKeeper } from '../idempotency/index.js';
import { assertBegun, campaignOf, CampaignReader, isForeign } from './campaign-reader.js';
import type { CampaignRetried } from './campaigns.dto.js';
import { campaignErrors } from './campaigns.errors.js';
import { CampaignRetry } from './retry/campaign-retry.js';
import type { LeftOutKind, ReasonCount } from './retry/failed-recipients.store.js';
import { CAMPAIGN_REVISION } from './staff-campaigns.dto.js';

/**
 * Changes a campaign's state; a staff change is audited in the same transaction. Returns the new state. @throws AppError
 * not_found `Campaign not found`; conflict `Campaign is already <state>`, `Changed since you looked`
 */
export class ChangeCampaignCommand extends Command<CampaignState> {
  /** `revision`: the revision a decision was based on, null = unchecked; `reason`: text of a rejection for the owner. */
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly change: Parameters<CampaignStates['change']>[2],
    readonly revision: number | null = null,
    readonly reason: string | null = null,
  ) {
    super();
  }
}

/** Own campaigns need the right to send over their channel, those of other accounts the right to manage. */
function assertMayAct({ account }: Actor, { accountId, channel }: CampaignRecord, channels: Channels): void {
  if (accountId === account.id) assertMaySend(account, channels.get(channel).routes);
  else assertRight(account, 'manage');
}

@CommandHandler(ChangeCampaignCommand)
export class ChangeCampaignHandler implements ICommandHandler<ChangeCampaignCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reader: CampaignReader,
    private readonly states: CampaignStates,
    private readonly channels: Channels,
    private readonly audit: AuditLog,
    private readonly relay: RelayNotifier,
  ) {}

  async execute({ actor, requestId, change, revision, reason }: ChangeCampaignCommand): Promise<CampaignState> {
    const campaign = await campaignOf(this.reader, actor, requestId);
    assertMayAct(actor, campaign, this.channels);
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

/**
 * Sends again to the failed recipients as a new campaign charged to the owner (reference/campaigns#retry-failed). @throws
 * AppError not_found; conflict `Campaign is already <state>`, `Campaign has no failed recipients`; unavailable without a route;
 * invalid `Insufficient credits. …`
 */
export class RetryFailedCommand extends Command<CampaignRetried> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
    readonly include: readonly LeftOutKind[],
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}

@CommandHandler(RetryFailedCommand)
export class RetryFailedHandler implements ICommandHandler<RetryFailedCommand> {
  constructor(
    private readonly reader: CampaignReader,
    private readonly accounts: AccountDirectory,
    private readonly channels: Channels,
    private readonly retry: CampaignRetry,
    private readonly audit: AuditLog,
    private readonly idempotency: Idempotency,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async execute({ actor, requestId, include, idempotent }: RetryFailedCommand): Promise<CampaignRetried> {
    const parent = await campaignOf(this.reader, actor, requestId);
    assertMayAct(actor, parent, this.channels);
    return this.idempotency.once<CampaignRetried>(idempotent, (keeper) => this.submit(actor, parent, include, keeper));
  }

  private async submit(
    actor: Actor,
    parent: CampaignRecord,
    include: readonly LeftOutKind[],
    keeper: OutcomeKeeper<CampaignRetried> | null,
  ): Promise<CampaignRetried> {
    await assertBegun(this.reader, parent);
    const zone = (await this.accounts.byId(parent.accountId))?.timeZone ?? 'UTC';
    const { child, reasons } = await this.retry.accept(parent, {
      include,
      createdBy: createdBy(actor.account, parent.accountId),
      makeRequestId: () => this.channels.get(parent.channel).newRequestId(zone, this.environment),
      alongside: async (tx, made) => {
        await this.channels.get(parent.channel).retried?.(tx, parent.id, made.id);
        await this.record(tx, actor, parent, made);
      },
      outcome: keeper ? (of) => keeper.of(retriedOf(parent, of)) : undefined,
    });
    return retriedOf(parent, reasons)(child);
  }

  private async record(
    tx: EntityManager,
    actor: Actor,
    parent: CampaignRecord,
    child: AcceptedCampaign,
  ): Promise<void> {
    if (!isForeign(actor, parent)) return;
    const details = { request_id: child.requestId, total_rows: child.totalRows };
    const action = 'campaign.retry_failed';
    const { accountId, requestId: subject } = parent;
    await this.audit.record(tx, { actor: actor.account, action, subject, accountId, details });
  }
}

const retriedOf =
  (parent: CampaignRecord, reasons: readonly ReasonCount[]) =>
  ({ requestId, totalRows, chargedCredits }: AcceptedCampaign): CampaignRetried => ({
    request_id: requestId,
    retry_of: parent.requestId,
    total_rows: totalRows,
    credits: chargedCredits,
    reasons,
  });
