import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { firstIdAt } from '../../../kernel/ids.js';
import { tooMany } from '../../../platform/security/index.js';
import type { ChannelName, RecipientRecord } from '../domain/campaign.js';
import { RECIPIENT_COLUMNS, type RecipientRow, toRecipient } from './campaign-reader.js';

/** A campaign in which the number stands. */
export interface FoundRecipient {
  requestId: string;
  channel: ChannelName;
  broadcastName: string;
  createdAt: Date;
  recipient: RecipientRecord;
}

export interface SearchRange {
  accountId: number;
  from: Date;
  to: Date;
}

export interface SearchResult {
  /** newest campaign first, then in the order of the contacts; 10,000 at the most */
  found: FoundRecipient[];
  /** the latest moment that was not looked at any more: `to` of the next search; null = the whole range was */
  next: Date | null;
}

interface SearchedCampaign {
  id: number;
  request_id: string;
  channel: ChannelName;
  broadcast_name: string;
  total_rows: number;
  created_at: Date;
}

/** Recipients that one search looks at: about a second of the database's time (docs/decisions, "finding a number"). */
const MOST_RECIPIENTS = 2_000_000;
/** Finding the start of a campaign's range costs about as much as looking at so many recipients. */
const CAMPAIGN_COST = 50;
const MOST_FOUND = 10_000;
const CAMPAIGNS_A_READ = 1_000;
/** One statement's share, so that none of them runs long. */
const RECIPIENTS_A_READ = 250_000;
const CLOCKS_APART_MS = 60_000;
/** Searches of one process: they must leave connections to everybody else. */
const MOST_AT_ONCE = 4;
const RETRY_SECONDS = 2;

/**
 * Finds a number among an account's recipients without an index on numbers, which would cost every broadcast a third of
 * its speed: the campaigns of the time are known by their keys, and their recipients lie together, so they are looked
 * through, newest first, up to a bound.
 */
@Injectable()
export class RecipientSearch {
  /** accounts whose search runs: one each, so that nobody keeps the others waiting */
  private readonly searching = new Set<number>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * @param mostRecipients the bound; a search always looks at one campaign at least
   * @throws AppError too_many while a search of this account, or four others, run in this process
   */
  async find(receiver: string, range: SearchRange, mostRecipients = MOST_RECIPIENTS): Promise<SearchResult> {
    const { accountId } = range;
    if (this.searching.has(accountId) || this.searching.size >= MOST_AT_ONCE) throw tooMany(RETRY_SECONDS);
    this.searching.add(accountId);
    try {
      return await this.lookThrough(receiver, range, mostRecipients);
    } finally {
      this.searching.delete(accountId);
    }
  }

  private async lookThrough(receiver: string, range: SearchRange, mostRecipients: number): Promise<SearchResult> {
    const found: FoundRecipient[] = [];
    let left = mostRecipients;
    let oldest = range.to;
    for await (const group of this.groups(range, Math.min(RECIPIENTS_A_READ, mostRecipients))) {
      if (left <= 0 || found.length >= MOST_FOUND) return { found, next: new Date(oldest.getTime() - 1) };
      found.push(...(await this.look(receiver, group, MOST_FOUND - found.length)));
      for (const campaign of group) left -= costOf(campaign);
      oldest = group.at(-1)?.created_at ?? oldest;
    }
    return { found, next: null };
  }

  /**
   * The campaigns of the range, newest first, in groups that one statement looks through. Campaigns of one moment stay
   * together (requests share transactions), so that a search can go on from a moment.
   */
  private async *groups(range: SearchRange, most: number): AsyncGenerator<SearchedCampaign[], void, undefined> {
    let group: SearchedCampaign[] = [];
    let cost = 0;
    for await (const campaign of this.campaigns(range)) {
      const last = group.at(-1);
      const isOlder = last?.created_at.getTime() !== campaign.created_at.getTime();
      if (last && isOlder && cost + costOf(campaign) > most) {
        yield group;
        group = [];
        cost = 0;
      }
      group.push(campaign);
      cost += costOf(campaign);
    }
    if (group.length > 0) yield group;
  }

  private async *campaigns(range: SearchRange): AsyncGenerator<SearchedCampaign, void, undefined> {
    const lowest = firstIdAt(new Date(range.from.getTime() - CLOCKS_APART_MS));
    let before = firstIdAt(new Date(range.to.getTime() + CLOCKS_APART_MS));
    for (;;) {
      const campaigns: SearchedCampaign[] = await this.dataSource.query(
        `SELECT id, request_id, channel, broadcast_name, total_rows, created_at FROM campaigns
         WHERE account_id = ? AND id >= ? AND id < ? AND created_at >= ? AND created_at <= ? ORDER BY id DESC LIMIT ?`,
        [range.accountId, lowest, before, range.from, range.to, CAMPAIGNS_A_READ],
      );
      yield* campaigns;
      const last = campaigns.at(-1);
      if (!last || campaigns.length < CAMPAIGNS_A_READ) return;
      before = last.id;
    }
  }

  private async look(
    receiver: string,
    campaigns: readonly SearchedCampaign[],
    limit: number,
  ): Promise<FoundRecipient[]> {
    const rows: (RecipientRow & { campaign_id: number })[] = await this.dataSource.query(
      `SELECT campaign_id, ${RECIPIENT_COLUMNS}
       FROM campaign_recipients WHERE campaign_id IN (?) AND receiver = ? ORDER BY campaign_id DESC, seq LIMIT ?`,
      [campaigns.map(({ id }) => id), receiver, limit],
    );
    const byId = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
    return rows.flatMap((row): FoundRecipient[] => {
      const campaign = byId.get(row.campaign_id);
      if (!campaign) return [];
      const { request_id, channel, broadcast_name, created_at } = campaign;
      const recipient = toRecipient(row);
      return [{ requestId: request_id, channel, broadcastName: broadcast_name, createdAt: created_at, recipient }];
    });
  }
}

const costOf = ({ total_rows }: SearchedCampaign): number => total_rows + CAMPAIGN_COST;
