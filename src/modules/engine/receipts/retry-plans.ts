import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { boundedCache } from '../../../platform/caches/index.js';
import { Channels } from '../channels.js';
import type { RetryPlan } from '../settle/attempts.js';

/** A campaign whose channel makes several attempts. None of it changes. */
export interface RetriedCampaign extends RetryPlan {
  id: number;
  channel: string;
  totalRows: number;
}

interface CampaignRow {
  id: number;
  channel: string;
  total_rows: number;
  content: string;
}

const MOST_ENTRIES = 10_000;

/** Which campaigns try again, and how often; kept, because every receipt asks. */
@Injectable()
export class RetryPlans {
  /** false: the campaign's channel makes one attempt */
  private readonly known = boundedCache<number, RetriedCampaign | false>(MOST_ENTRIES);

  constructor(private readonly channels: Channels) {}

  /** Those of these campaigns whose channel makes several attempts, by id. */
  async of(tx: EntityManager, campaignIds: Iterable<number>): Promise<Map<number, RetriedCampaign>> {
    const retrying = this.channels.all.filter((channel) => channel.retryPlan).map(({ name }) => name);
    const found = new Map<number, RetriedCampaign>();
    if (retrying.length === 0) return found;
    const unknown: number[] = [];
    for (const id of new Set(campaignIds)) {
      const plan = this.known.get(id);
      if (plan) found.set(id, plan);
      else if (plan === undefined) unknown.push(id);
    }
    if (unknown.length === 0) return found;
    const rows: CampaignRow[] = await tx.query(
      'SELECT id, channel, total_rows, content FROM campaigns WHERE id IN (?) AND channel IN (?)',
      [unknown, retrying],
    );
    const plans = new Map(rows.map((row) => [row.id, this.read(row)]));
    for (const id of unknown) {
      const plan = plans.get(id) ?? false;
      this.known.set(id, plan);
      if (plan) found.set(id, plan);
    }
    return found;
  }

  private read({ id, channel, total_rows, content }: CampaignRow): RetriedCampaign | null {
    const plan = this.channels.get(channel).retryPlan?.(JSON.parse(content) as Record<string, unknown>);
    return plan ? { ...plan, id, channel, totalRows: total_rows } : null;
  }
}
