import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChannelRegistry } from '../channel-registry.js';
import type { RetryPlan } from './attempts.js';
import type { ChannelName } from '../state/campaign.js';

/** A campaign whose channel makes several attempts. None of it changes. */
export interface RetriedCampaign extends RetryPlan {
  id: number;
  channel: ChannelName;
  totalRows: number;
}

interface CampaignRow {
  id: number;
  channel: ChannelName;
  total_rows: number;
  content: string;
}

const MOST_ENTRIES = 10_000;

/** Which campaigns try again, and how often; kept, because every receipt asks. */
@Injectable()
export class RetryPlans {
  private readonly known = new Map<number, RetriedCampaign | null>();

  constructor(private readonly channels: ChannelRegistry) {}

  /** Those of these campaigns whose channel makes several attempts, by id. */
  async of(tx: EntityManager, campaignIds: Iterable<number>): Promise<Map<number, RetriedCampaign>> {
    const retrying = this.channels.names().filter((name) => 'retryPlan' in this.channels.get(name));
    const found = new Map<number, RetriedCampaign>();
    if (retrying.length === 0) return found;
    const ids = [...new Set(campaignIds)];
    const asked = ids.filter((id) => !this.known.has(id));
    if (asked.length > 0) {
      const rows: CampaignRow[] = await tx.query(
        'SELECT id, channel, total_rows, content FROM campaigns WHERE id IN (?) AND channel IN (?)',
        [asked, retrying],
      );
      const plans = new Map(rows.map((row) => [row.id, this.read(row)]));
      for (const id of asked) this.keep(id, plans.get(id) ?? null);
    }
    for (const id of ids) {
      const plan = this.known.get(id);
      if (plan) found.set(id, plan);
    }
    return found;
  }

  private read({ id, channel, total_rows, content }: CampaignRow): RetriedCampaign | null {
    const plan = this.channels.get(channel).retryPlan?.(JSON.parse(content) as Record<string, unknown>);
    return plan ? { ...plan, id, channel, totalRows: total_rows } : null;
  }

  private keep(id: number, plan: RetriedCampaign | null): void {
    // A Map keeps the order of insertion, so the first entry is the oldest.
    const [oldest] = this.known.size >= MOST_ENTRIES ? this.known.keys() : [];
    if (oldest !== undefined) this.known.delete(oldest);
    this.known.set(id, plan);
  }
}
