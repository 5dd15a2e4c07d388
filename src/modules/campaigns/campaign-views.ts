import { Injectable } from '@nestjs/common';
import { dateTime } from '../../kernel/clock.js';
import { AccountDirectory } from '../accounts/index.js';
import { Channels, isPersonalised, RecipientStatus } from '../engine/index.js';
import { RouteDirectory, type RouteRecord } from '../providers/index.js';
import { CampaignOutlooks } from './campaign-outlook.js';
import {
  campaignData,
  type CampaignData,
  type CampaignDetailData,
  type CampaignSurroundings,
  routeChanges,
} from './campaigns.dto.js';
import type { CountedCampaign } from './campaigns.store.js';
import { FailureReasonCounts } from './failure-reasons.store.js';
import { FailedRecipients } from './retry/failed-recipients.store.js';
import { RouteChangeReader } from './route-changes.store.js';
import { staffCampaign, type StaffCampaignAnswer } from './staff-campaigns.dto.js';

const NO_OUTLINE = { text: null, template: null, attachments: [], audio_url: null };
const NO_OWNER = { username: '', timeZone: 'UTC' };

const namesOf = (routes: readonly (RouteRecord | null)[]): string[] =>
  routes.flatMap((route) => (route && route.owner === null ? [route.name] : []));

/** Formats campaigns with their channel's labels; times are in the owner's zone, in staff lists in the viewer's zone. */
@Injectable()
export class CampaignViews {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly channels: Channels,
    private readonly routes: RouteDirectory,
    private readonly changes: RouteChangeReader,
    private readonly outlooks: CampaignOutlooks,
    private readonly failures: FailureReasonCounts,
    private readonly retries: FailedRecipients,
  ) {}

  async ofOwner(counted: CountedCampaign): Promise<CampaignData> {
    return campaignData(counted, this.channels.get(counted.campaign.channel), await this.surroundings(counted));
  }

  async inDetail(counted: CountedCampaign): Promise<CampaignDetailData> {
    const { campaign, counts } = counted;
    const channel = this.channels.get(campaign.channel);
    const around = await this.surroundings(counted);
    const [changes, outlook, { reasons, isApproximate }, priceNote] = await Promise.all([
      this.changes.ofCampaign(campaign.id),
      this.outlooks.of(counted),
      this.failures.of(campaign, counts.get(RecipientStatus.Failed) ?? 0),
      channel.priceNote?.(this.channels.services, campaign) ?? null,
    ]);
    const failed = counts.get(RecipientStatus.Failed) ?? 0;
    const [kindOf, wordsOf] = [await this.retries.kinds(campaign), await this.retries.words(campaign)];
    const retriable = await this.retries.areThere(campaign, failed, reasons.map(kindOf));
    return {
      ...campaignData(counted, channel, around),
      username: around.username,
      in_doubt_until: outlook.inDoubtUntil && dateTime(outlook.inDoubtUntil, around.zone),
      receipts_until: outlook.receiptsUntil && dateTime(outlook.receiptsUntil, around.zone),
      balance: campaign.balance,
      price_note: priceNote,
      refunded_credits: campaign.refundedCredits,
      sender: campaign.sender,
      ...NO_OUTLINE,
      ...channel.outline?.(campaign.content),
      personalised: isPersonalised(campaign.content),
      reason: campaign.reason,
      late: campaign.lateRule?.late ?? (campaign.scheduledAt && 'send'),
      late_after_s: campaign.lateRule?.afterSeconds ?? null,
      started_late_s: campaign.startedLateSeconds,
      routes: outlook.routes,
      messages_per_second: outlook.messagesPerSecond,
      seconds_left: outlook.secondsLeft,
      refund_if_cancelled: outlook.refund,
      refund_is_approximate: outlook.isRefundApproximate,
      failure_reasons: reasons.map((failure) => {
        const { cause, remedy } = wordsOf(failure);
        return {
          ...{ error_code: failure.errorCode, message: failure.message, count: failure.count },
          ...(failure.carrierCode !== null && { carrier_code: failure.carrierCode }),
          ...(failure.isRefused && { refused: true as const }),
          ...{ reason: kindOf(failure), reason_text: cause, remedy },
        };
      }),
      failure_reasons_approximate: isApproximate,
      retriable,
      category: campaign.category,
      route_changes: routeChanges(changes, around.zone),
    };
  }

  async forStaff(counted: CountedCampaign, zone: string): Promise<StaffCampaignAnswer> {
    const around = { ...(await this.surroundings(counted)), zone };
    return staffCampaign(counted, this.channels.get(counted.campaign.channel), around);
  }

  private async surroundings({
    campaign,
    carrying,
  }: CountedCampaign): Promise<CampaignSurroundings & { username: string }> {
    const [owner, route, ...others] = await Promise.all([
      this.accounts.byId(campaign.accountId),
      ...[campaign.routeId, ...carrying].map((id) => this.routes.byId(id)),
    ]);
    const { username, timeZone: zone } = owner ?? NO_OWNER;
    const [name = null] = namesOf([route ?? null]);
    return { username, zone, route: name, carriedBy: namesOf(others) };
  }
}
