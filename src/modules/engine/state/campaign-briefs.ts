import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { boundedCache } from '../../../platform/concurrency/index.js';
import { type Tracing, TRACING } from '../../../platform/observability/index.js';
import type { BalanceName } from '../../credits/index.js';
import type { RouteKind } from '../../providers/index.js';
import type { RetryPlan } from '../attempts.js';
import type { MessageTags } from '../campaign.js';
import { Channels } from '../channels.js';

/** Constant fields of a campaign needed for settlement. */
export interface CampaignBrief {
  id: number;
  accountId: number;
  requestId: string;
  channel: string;
  routeKind: RouteKind | null;
  totalRows: number;
  /** nothing of it moves credits or counts in statistics */
  isTest: boolean;
  balance: BalanceName;
  unitCredits: number;
  sender: string;
  ownTerms: boolean;
  /** null = one attempt */
  retryPlan: RetryPlan | null;
  /** null = not sent as a message */
  tags: MessageTags | null;
}

interface BriefRow {
  id: number;
  account_id: number;
  request_id: string;
  channel: string;
  total_rows: number;
  is_test: number;
  balance: BalanceName;
  unit_credits: number;
  sender: string | null;
  own_terms: number;
  content: string | null;
  tags: string | null;
}

const MOST_BRIEFS = 20_000;

/** Cached briefs: every result and every receipt needs one. */
@Injectable()
export class CampaignBriefs {
  private readonly known = boundedCache<number, CampaignBrief>(MOST_BRIEFS);

  constructor(private readonly channels: Channels) {}

  /** By id; unknown campaigns are missing. */
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
      `SELECT id, account_id, request_id, channel, total_rows, is_test, balance, unit_credits, sender, own_terms, tags,
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
      routeKind: this.channels.find(row.channel)?.routes ?? null,
      totalRows: row.total_rows,
      isTest: row.is_test === 1,
      balance: row.balance,
      unitCredits: row.unit_credits,
      sender: row.sender ?? '',
      ownTerms: row.own_terms === 1,
      retryPlan: plan ?? null,
      tags: row.tags === null ? null : content(row.tags),
    };
  }
}

const content = (json: string): Record<string, unknown> => JSON.parse(json) as Record<string, unknown>;

const MOST_KNOWN = 20_000;

/** Trace parents of campaigns; no queries if tracing is off. */
@Injectable()
export class CampaignTraces {
  private readonly known = boundedCache<number, string>(MOST_KNOWN);

  constructor(@Inject(TRACING) private readonly tracing: Tracing) {}

  /** By campaign; those without a trace are missing. */
  async of(tx: Pick<EntityManager, 'query'>, campaignIds: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    if (!this.tracing.isOn) return found;
    const unknown: number[] = [];
    for (const id of new Set(campaignIds)) {
      const parent = this.known.get(id);
      if (parent === undefined) unknown.push(id);
      else if (parent !== '') found.set(id, parent);
    }
    if (unknown.length === 0) return found;
    const rows = await tx.query<{ id: number; trace_parent: string | null }[]>(
      'SELECT id, trace_parent FROM campaigns WHERE id IN (?)',
      [unknown],
    );
    for (const { id, trace_parent: parent } of rows) {
      this.known.set(Number(id), parent ?? '');
      if (parent !== null) found.set(Number(id), parent);
    }
    return found;
  }
}
