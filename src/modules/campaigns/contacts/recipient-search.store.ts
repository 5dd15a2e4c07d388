import { Inject, Injectable } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { ReadDatabase, type ReadSource } from '../../../platform/database/index.js';
import { tooMany } from '../../../platform/security/index.js';
import { type RecipientRecord } from '../../engine/index.js';
import {
  costOf,
  grouped,
  idBehind,
  lowestId,
  newestFirst,
  RECIPIENTS_A_READ,
  type ScannedCampaign,
} from '../campaign-scan.js';
import { RECIPIENT_COLUMNS, type RecipientRow, toRecipient } from '../campaign-reader.js';
import { NumberSenders } from './number-senders.js';

export interface FoundRecipient {
  campaignId: number;
  accountId: number;
  requestId: string;
  channel: string;
  broadcastName: string;
  isTest: boolean;
  createdAt: Date;
  recipient: RecipientRecord;
}

export interface SearchRange {
  accountId: number | null;
  /** absent = live ones and tests */
  isTest?: boolean;
  from: Date;
  to: Date;
  after: HitCursor | null;
}

export interface BoxSearch {
  searcherId: number;
  accountId: number | null;
}

export interface HitCursor {
  campaignId: number;
  seq: number;
}

export interface SearchResult {
  found: FoundRecipient[];
  /** `to` of the next search; null = the whole range was searched */
  next: Date | null;
  /** cursor of the same position */
  end: HitCursor | null;
}

interface SearchedCampaign extends ScannedCampaign {
  account_id: number;
  request_id: string;
  channel: string;
  broadcast_name: string;
  is_test: number;
  created_at: Date;
}

/** Recipients scanned by one search: about one second of database time (docs/decisions/0027). */
const MOST_RECIPIENTS = 2_000_000;
const MOST_FOUND = 10_000;
/** Scan limits of the search box: the newest campaigns, then each account known to have sent to the number. */
const BOX = { recipients: 500_000, ofSender: 250_000, senders: 4, days: 30 } as const;
const DAY_MS = 86_400_000;
/** Searches per process, so that other requests still get connections. */
const MOST_AT_ONCE = 4;
const RETRY_SECONDS = 2;
const LAST_SEQ = 4_294_967_295;

export const positionOfHit = ({ campaignId, recipient }: FoundRecipient): HitCursor => ({
  campaignId,
  seq: recipient.seq,
});

const keyOf = ({ campaignId, recipient }: FoundRecipient): string => `${campaignId} ${recipient.seq}`;

/** Scans campaigns for a number, newest first, up to a limit. An index would cost broadcasts a third of their speed. */
@Injectable()
export class RecipientSearch {
  /** accounts with a running search: one each, so that no account blocks the others */
  private readonly searching = new Set<number>();

  constructor(
    @Inject(ReadDatabase) private readonly reads: ReadSource,
    private readonly senders: NumberSenders,
  ) {}

  /** Scans at least one campaign. @throws AppError too_many if this account, or MOST_AT_ONCE others, already search here */
  find(
    numbers: readonly string[],
    range: SearchRange & { accountId: number },
    mostRecipients = MOST_RECIPIENTS,
    mostFound = MOST_FOUND,
  ): Promise<SearchResult> {
    return this.alone(range.accountId, () => this.search(numbers, range, mostRecipients, mostFound));
  }

  /**
   * Searches the newest campaigns of 30 days, then those of `NumberSenders` around the day they wrote to the number on routes that
   * receive replies. accountId null = all accounts. @throws AppError too_many as `find`
   */
  newest(numbers: readonly string[], { searcherId, accountId }: BoxSearch, limit: number): Promise<SearchResult> {
    return this.alone(searcherId, async () => {
      const to = now();
      const from = new Date(to.getTime() - BOX.days * DAY_MS);
      const result = await this.search(numbers, { accountId, from, to, after: null }, BOX.recipients, limit);
      if (accountId !== null || result.next === null || result.found.length >= limit) return result;
      const found = new Map(result.found.map((hit) => [keyOf(hit), hit]));
      for (const sender of await this.senders.sendersTo(numbers, BOX.senders)) {
        // A campaign can be accepted days before its schedule; most are sent on the same day.
        const day = { from: new Date(sender.day.getTime() - DAY_MS), to: new Date(sender.day.getTime() + DAY_MS) };
        const range = { ...day, accountId: sender.accountId, after: null };
        const { found: hits } = await this.search(numbers, range, BOX.ofSender, limit);
        for (const hit of hits) found.set(keyOf(hit), hit);
      }
      const hits = [...found.values()].sort((a, b) => b.campaignId - a.campaignId || a.recipient.seq - b.recipient.seq);
      return { ...result, found: hits.slice(0, limit) };
    });
  }

  private async alone<T>(searcherId: number, search: () => Promise<T>): Promise<T> {
    if (this.searching.has(searcherId) || this.searching.size >= MOST_AT_ONCE) throw tooMany(RETRY_SECONDS);
    this.searching.add(searcherId);
    try {
      return await search();
    } finally {
      this.searching.delete(searcherId);
    }
  }

  private async search(
    numbers: readonly string[],
    range: SearchRange,
    mostRecipients: number,
    mostFound = MOST_FOUND,
  ): Promise<SearchResult> {
    const found: FoundRecipient[] = [];
    let left = mostRecipients;
    let oldest = range.to;
    let lowest = 0;
    for await (const group of this.groups(range, Math.min(RECIPIENTS_A_READ, mostRecipients))) {
      const last = found.length >= mostFound ? found.at(-1) : undefined;
      if (left <= 0 || last) {
        const end = last ? positionOfHit(last) : { campaignId: lowest, seq: LAST_SEQ };
        return { found, next: new Date(oldest.getTime() - 1), end };
      }
      found.push(...(await this.hitsIn(numbers, group, range.after, mostFound - found.length)));
      for (const campaign of group) left -= costOf(campaign);
      oldest = group.at(-1)?.created_at ?? oldest;
      lowest = group.at(-1)?.id ?? lowest;
    }
    return { found, next: null, end: null };
  }

  /** Keeps campaigns of one moment together (requests share transactions), so that a search can continue from a moment. */
  private groups(range: SearchRange, most: number): AsyncGenerator<SearchedCampaign[], void, undefined> {
    const isOfOneMoment = (one: SearchedCampaign, other: SearchedCampaign): boolean =>
      one.created_at.getTime() === other.created_at.getTime();
    return grouped(this.campaigns(range), most, isOfOneMoment);
  }

  private campaigns({
    accountId,
    isTest,
    from,
    to,
    after,
  }: SearchRange): AsyncGenerator<SearchedCampaign, void, undefined> {
    const lowest = lowestId(from);
    const highest = after ? Math.min(idBehind(to), after.campaignId + 1) : idBehind(to);
    return newestFirst(highest, (before, limit) =>
      this.reads.query<SearchedCampaign[]>(
        `SELECT id, account_id, request_id, channel, broadcast_name, is_test, total_rows, created_at FROM campaigns
         WHERE ${accountId === null ? '' : 'account_id = ? AND'} ${isTest === undefined ? '' : 'is_test = ? AND'} id >= ? AND id < ? AND created_at >= ? AND created_at <= ?
         ORDER BY id DESC LIMIT ?`,
        [
          ...(accountId === null ? [] : [accountId]),
          ...(isTest === undefined ? [] : [Number(isTest)]),
          lowest,
          before,
          from,
          to,
          limit,
        ],
      ),
    );
  }

  private async hitsIn(
    numbers: readonly string[],
    campaigns: readonly SearchedCampaign[],
    after: HitCursor | null,
    limit: number,
  ): Promise<FoundRecipient[]> {
    const rows: (RecipientRow & { campaign_id: number })[] = await this.reads.query(
      `SELECT campaign_id, ${RECIPIENT_COLUMNS} FROM campaign_recipients
       WHERE campaign_id IN (?) AND receiver IN (?) AND NOT (campaign_id = ? AND seq <= ?)
       ORDER BY campaign_id DESC, seq LIMIT ?`,
      [campaigns.map(({ id }) => id), numbers, after?.campaignId ?? 0, after?.seq ?? 0, limit],
    );
    const byId = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
    return rows.flatMap((row): FoundRecipient[] => {
      const campaign = byId.get(row.campaign_id);
      if (!campaign) return [];
      const { account_id, request_id, channel, broadcast_name, is_test, created_at } = campaign;
      const recipient = toRecipient(row);
      return [
        {
          campaignId: row.campaign_id,
          accountId: account_id,
          requestId: request_id,
          channel,
          broadcastName: broadcast_name,
          isTest: is_test === 1,
          createdAt: created_at,
          recipient,
        },
      ];
    });
  }
}
