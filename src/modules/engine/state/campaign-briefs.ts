import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { boundedCache } from '../../../platform/caches/index.js';
import type { BalanceName } from '../../credits/index.js';
import { Channels } from '../channels.js';
import type { RetryPlan } from '../settle/attempts.js';

/** What of a campaign never changes, as far as settling its recipients asks for it. */
export interface CampaignBrief {
  id: number;
  accountId: number;
  requestId: string;
  channel: string;
  totalRows: number;
  balance: BalanceName;
  /** credits per recipient that has no price of its own */
  unitCredits: number;
  /** of recipients that have none of their own; '' = the route's */
  sender: string;
  /** some recipients have terms of their own */
  ownTerms: boolean;
  /** null = its channel makes one attempt */
  retryPlan: RetryPlan | null;
}

interface BriefRow {
  id: number;
  account_id: number;
  request_id: string;
  channel: string;
  total_rows: number;
  balance: BalanceName;
  unit_credits: number;
  sender: string | null;
  own_terms: number;
  content: string | null;
}

const MOST_BRIEFS = 20_000;

/** Campaigns in brief; kept, because every result and every receipt asks. */
@Injectable()
export class CampaignBriefs {
  private readonly known = boundedCache<number, CampaignBrief>(MOST_BRIEFS);

  constructor(private readonly channels: Channels) {}

  /** By id; campaigns that do not exist are missing. */
  async of(tx: EntityManager, campaignIds: Iterable<number>): Promise<ReadonlyMap<number, CampaignBrief>> {
    const found = new Map<number, CampaignBrief>();
    const unknown: number[] = [];
    for (const id of new Set(campaignIds)) {
      const brief = this.known.get(id);
      if (brief) found.set(id, brief);
      else unknown.push(id);
    }
    if (unknown.length === 0) return found;
    const retrying = this.channels.all.filter((channel) => channel.retryPlan).map(({ name }) => name);
    const rows: BriefRow[] = await tx.query(
      `SELECT id, account_id, request_id, channel, total_rows, balance, unit_credits, sender, own_terms,
         IF(channel IN (?), content, NULL) AS content FROM campaigns WHERE id IN (?)`,
      [['', ...retrying], unknown],
    );
    for (const row of rows) {
      const brief = this.read(row);
      this.known.set(brief.id, brief);
      found.set(brief.id, brief);
    }
    return found;
  }

  private read(row: BriefRow): CampaignBrief {
    const plan = row.content === null ? null : this.channels.find(row.channel)?.retryPlan?.(content(row.content));
    return {
      id: row.id,
      accountId: row.account_id,
      requestId: row.request_id,
      channel: row.channel,
      totalRows: row.total_rows,
      balance: row.balance,
      unitCredits: row.unit_credits,
      sender: row.sender ?? '',
      ownTerms: row.own_terms === 1,
      retryPlan: plan ?? null,
    };
  }
}

const content = (json: string): Record<string, unknown> => JSON.parse(json) as Record<string, unknown>;
