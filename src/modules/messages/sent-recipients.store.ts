import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { messageId } from '../../kernel/ids.js';
import { ReadDatabase, type ReadSource } from '../../platform/database/index.js';
import { idBehind, lowestId, RecipientSearch } from '../campaigns/index.js';
import { Channels, isPersonalised, RecipientStatus } from '../engine/index.js';
import {
  type ListedMessage,
  type MessageFilter,
  type MessagePosition,
  type Part,
  type Placed,
  type RecipientKey,
} from './listed-message.js';

interface SentCampaign {
  id: number;
  /** read once for all recipients of a page */
  said: { text: string | null; type: string; segments: number | null };
  request_id: string;
  channel: string;
  unit_credits: number;
  charged_credits: number;
  own_terms: number;
  sender: string | null;
  total_rows: number;
  is_test: number;
  tags: string | null;
  scheduled_at: Date | null;
  sent_at: Date | null;
  created_at: Date;
}

interface SentRow {
  campaign_id: number;
  seq: number;
  receiver: string;
  status: RecipientStatus;
  error_code: number | null;
  error_message: string | null;
  refunded: number;
  updated_at: Date;
}

interface TermsRow {
  campaign_id: number;
  seq: number;
  credits: number | null;
  sender: string | null;
}

const CAMPAIGN_COLUMNS =
  'id, request_id, channel, content, unit_credits, own_terms, charged_credits, sender, total_rows, is_test, tags, scheduled_at, sent_at, created_at';
const SENT_COLUMNS = 'campaign_id, seq, receiver, status, error_code, error_message, refunded, updated_at';

/** Reads recipients of an account's campaigns as messages. */
@Injectable()
export class SentRecipients {
  constructor(
    @Inject(ReadDatabase) private readonly reads: ReadSource,
    @InjectDataSource() private readonly writer: ReadSource,
    private readonly search: RecipientSearch,
    private readonly channels: Channels,
  ) {}

  /** Recipients behind a position, newest first. @throws AppError too_many while the account searches for another number */
  async behind(accountId: number, filter: MessageFilter, after: MessagePosition, limit: number): Promise<Part> {
    const of = { accountId, source: this.reads };
    const { numbers, isTest, from, to } = filter;
    if (numbers) {
      const range = { accountId, isTest, from, to, after: { campaignId: after.id, seq: after.seq } };
      const { found, end } = await this.search.find(numbers, range, undefined, limit);
      const keys = found.slice(0, limit).map(({ campaignId, recipient: { seq } }) => ({ campaignId, seq }));
      const placed = await this.sent(of, keys);
      if (found.length > keys.length || end === null) return { placed, end: endOf(keys, placed, limit) };
      return { placed, end: { id: end.campaignId, seq: end.seq } };
    }
    // the first one may have nothing behind the position
    const campaigns: Pick<SentCampaign, 'id' | 'total_rows'>[] = await this.reads.query(
      `SELECT id, total_rows FROM campaigns FORCE INDEX (ix_campaigns_account)
       WHERE account_id = ? AND is_test = ? AND id <= ? AND id >= ? AND created_at >= ? AND created_at <= ? ORDER BY id DESC LIMIT ?`,
      [accountId, Number(isTest), Math.min(after.id, idBehind(to)), lowestId(from), from, to, limit + 1],
    );
    const keys: RecipientKey[] = [];
    for (const { id, total_rows: total } of campaigns) {
      const first = id === after.id ? after.seq + 1 : 1;
      for (let seq = first; seq <= total && keys.length < limit; seq++) keys.push({ campaignId: id, seq });
    }
    const placed = await this.sent(of, keys);
    return { placed, end: endOf(keys, placed, limit) };
  }

  /** One recipient, from the writer: it may be just accepted. */
  async one(accountId: number, key: RecipientKey): Promise<Placed | null> {
    const of = { accountId, source: this.writer };
    return (await this.sent(of, [key]))[0] ?? null;
  }

  /** Recipients in the order of the keys. */
  private async sent(
    { accountId, source }: { accountId: number; source: ReadSource },
    keys: readonly RecipientKey[],
  ): Promise<Placed[]> {
    if (keys.length === 0) return [];
    const ids = [...new Set(keys.map(({ campaignId }) => campaignId))];
    const read: (SentCampaign & { content: string })[] = await source.query(
      `SELECT ${CAMPAIGN_COLUMNS} FROM campaigns WHERE id IN (?) AND account_id = ?`,
      [ids, accountId],
    );
    const byId = new Map(read.map((campaign) => [campaign.id, { ...campaign, said: this.saidBy(campaign) }]));
    const own = keys.filter(({ campaignId }) => byId.has(campaignId));
    const rows = await rowsOf<SentRow>(source, 'campaign_recipients', SENT_COLUMNS, own);
    const withTerms = own.filter(({ campaignId }) => byId.get(campaignId)?.own_terms === 1);
    const terms = await rowsOf<TermsRow>(source, 'recipient_terms', 'campaign_id, seq, credits, sender', withTerms);
    return own.flatMap((key): Placed[] => {
      const name = nameOf(key.campaignId, key.seq);
      const [campaign, row] = [byId.get(key.campaignId), rows.get(name)];
      return campaign && row ? [this.placedRecipient(campaign, row, terms.get(name))] : [];
    });
  }

  private saidBy({ channel: name, content: json }: { channel: string; content: string }): SentCampaign['said'] {
    const content = JSON.parse(json) as Record<string, unknown>;
    const channel = this.channels.get(name);
    const { text, template } = channel.outline?.(content) ?? {};
    return {
      text: text ?? template?.name ?? null,
      type: template ? 'template' : text === undefined ? name : 'text',
      segments: isPersonalised(content) ? null : (channel.segments?.(content) ?? 1),
    };
  }

  private placedRecipient(campaign: SentCampaign, row: SentRow, terms: TermsRow | undefined): Placed {
    const key = { campaignId: campaign.id, seq: row.seq };
    const isFailed = row.status === RecipientStatus.Failed;
    return {
      at: { id: campaign.id, seq: row.seq },
      chat: 0,
      message: {
        id: messageId({ kind: 'out', ...key }),
        direction: 'outbound',
        channel: campaign.channel,
        type: campaign.said.type,
        from: terms?.sender ?? campaign.sender,
        to: row.receiver,
        text: campaign.said.text,
        status: row.status,
        isScheduled: campaign.sent_at === null && campaign.scheduled_at !== null,
        errorCode: isFailed ? row.error_code : null,
        errorMessage: isFailed ? row.error_message : null,
        credits: terms?.credits ?? priceOf(campaign),
        refunded: campaign.is_test === 0 && (row.refunded === 1 || row.status === RecipientStatus.Cancelled),
        isTest: campaign.is_test === 1,
        segments: campaign.said.segments,
        tags: campaign.tags === null ? null : (JSON.parse(campaign.tags) as ListedMessage['tags']),
        requestId: campaign.request_id,
        createdAt: campaign.created_at,
        scheduledAt: campaign.scheduled_at,
        updatedAt: row.updated_at,
      },
    };
  }
}

/** Per recipient; of a test what it would have cost on average. */
const priceOf = ({ is_test, charged_credits: charged, total_rows: total, unit_credits: each }: SentCampaign): number =>
  is_test === 1 ? Math.round(charged / total) : each;

/** Rows of old recipients may be gone while their campaign is there: then the list goes on behind the last one looked for. */
function endOf(keys: readonly RecipientKey[], placed: readonly Placed[], limit: number): Part['end'] {
  const last = keys.at(-1);
  return last && keys.length >= limit && placed.length < keys.length ? { id: last.campaignId, seq: last.seq } : null;
}

const nameOf = (campaignId: number, seq: number): string => `${campaignId} ${seq}`;

/** Rows of a table by campaign and seq: first recipients by one statement, further ones by a range each. */
async function rowsOf<Row extends { campaign_id: number; seq: number }>(
  source: ReadSource,
  table: string,
  columns: string,
  keys: readonly RecipientKey[],
): Promise<ReadonlyMap<string, Row>> {
  const seqs = new Map<number, number[]>();
  for (const { campaignId, seq } of keys) seqs.set(campaignId, [...(seqs.get(campaignId) ?? []), seq]);
  const isFirst = ([, wanted]: [number, number[]]): boolean => wanted.length === 1 && wanted[0] === 1;
  const firsts = [...seqs].filter(isFirst).map(([id]) => id);
  const select = `SELECT ${columns} FROM ${table} WHERE`;
  const rows: Row[][] = await Promise.all([
    firsts.length === 0 ? [] : source.query<Row[]>(`${select} campaign_id IN (?) AND seq = 1`, [firsts]),
    ...[...seqs]
      .filter((entry) => !isFirst(entry))
      .map(([id, wanted]) => source.query<Row[]>(`${select} campaign_id = ? AND seq IN (?)`, [id, wanted])),
  ]);
  return new Map(rows.flat().map((row) => [nameOf(row.campaign_id, row.seq), row]));
}
