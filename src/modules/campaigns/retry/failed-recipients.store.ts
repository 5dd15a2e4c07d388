import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { timeOfId } from '../../../kernel/ids.js';
import {
  type CampaignRecord,
  Channels,
  OWN_KIND,
  type RecipientSource,
  RecipientStatus,
  type SourcedRecipient,
  variablesOf,
} from '../../engine/index.js';
import {
  type Failure,
  FAILURE_KINDS,
  type FailureKind,
  failureKind,
  type FailureSource,
  type FailureTerms,
  failureWords,
  type FailureWords,
  LASTING_KINDS,
  ownKinds,
  RouteDirectory,
} from '../../providers/index.js';
import { lowestId } from '../campaign-scan.js';

const BATCH = 25_000;
const FEW = 10_000;
const RECIPIENTS_A_READ = 5_000;

export type LeftOutKind = (typeof LASTING_KINDS)[number];

export interface ReasonCount {
  reason: FailureKind;
  count: number;
  retried: boolean;
}

interface FailedSource {
  source: RecipientSource;
  /** of all that failed and were in no earlier retry; without reasons of none */
  reasons: ReasonCount[];
}

interface FailedRow {
  seq: number;
  errorCode: number | null;
  message: string | null;
  carrierCode: string | null;
  refused: number;
}

const CHAT: readonly FailureTerms[] = [{ source: 'chat', own: ownKinds(null) }];
const SENDER = 'LEFT JOIN recipient_terms o ON o.campaign_id = r.campaign_id AND o.seq = r.seq';

/**
 * Selects failed recipients for a retry (reference/campaigns#retry-failed): without those that failed for good or left, sends
 * that ever had an unknown outcome, and recipients that an earlier retry took and did not cancel unsent.
 */
@Injectable()
export class FailedRecipients {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly channels: Channels,
  ) {}

  /** Returns the recipients failed so far, in contact order, with variables and sender; `row` is their index. */
  async sourceOf(campaign: CampaignRecord, include: readonly LeftOutKind[] = []): Promise<FailedSource> {
    const left = new Set<FailureKind>(LASTING_KINDS.filter((kind) => !include.includes(kind)));
    const [taken, kindOf] = [await this.taken(campaign), await this.kinds(campaign)];
    const counts = new Map<FailureKind, number>();
    const chosen = new SeqSet(campaign.totalRows);
    for (let afterSeq = 0; ;) {
      const rows: FailedRow[] = await this.dataSource.query(
        `SELECT seq, error_code AS errorCode, error_message AS message, carrier_code AS carrierCode, refused
         FROM campaign_recipients
         WHERE campaign_id = ? AND seq > ? AND status = ${RecipientStatus.Failed} AND outcome_unknown = 0 ORDER BY seq LIMIT ?`,
        [campaign.id, afterSeq, BATCH],
      );
      for (const { seq, refused, ...failure } of rows) {
        if (taken.has(seq)) continue;
        const kind = kindOf({ ...failure, isRefused: refused === 1 });
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
        if (!left.has(kind)) chosen.add(seq);
      }
      const last = rows.at(-1);
      if (!last || rows.length < BATCH) break;
      afterSeq = last.seq;
    }
    const reasons = FAILURE_KINDS.flatMap((reason) => {
      const count = counts.get(reason) ?? 0;
      return count === 0 ? [] : [{ reason, count, retried: !left.has(reason) }];
    });
    return { source: { total: chosen.size, read: () => this.read(campaign, chosen) }, reasons };
  }

  /** True if a retry would find recipients. Above 10,000 recipients it ignores earlier retries, to stay cheap. */
  async areThere(campaign: CampaignRecord, failed: number, kinds: readonly FailureKind[]): Promise<boolean> {
    if (failed === 0) return false;
    if (campaign.totalRows > FEW) return kinds.some((kind) => !LASTING_KINDS.some((left) => left === kind));
    return (await this.sourceOf(campaign)).source.total > 0;
  }

  /** Says what a failure of this campaign means, by the drivers of all its routes. */
  async kinds(campaign: CampaignRecord): Promise<(failure: Failure) => FailureKind> {
    const terms = await this.terms(campaign);
    return (failure) => failureKind(terms, failure);
  }

  /** Says a failure of this campaign in words. */
  async words(campaign: CampaignRecord): Promise<(failure: Failure) => FailureWords> {
    const terms = await this.terms(campaign);
    return (failure) => failureWords(terms, failure);
  }

  private async terms({ id, routeId, channel }: CampaignRecord): Promise<readonly FailureTerms[]> {
    if (this.channels.get(channel).routes === 'chat') return CHAT;
    const lanes: { routeId: number }[] = await this.dataSource.query(
      'SELECT DISTINCT route_id AS routeId FROM campaign_lanes WHERE campaign_id = ?',
      [id],
    );
    const routes = await Promise.all(
      [routeId, ...lanes.map((lane) => lane.routeId)].map((route) => this.routes.byId(route)),
    );
    return routes.flatMap((route): FailureTerms[] =>
      route ? [{ source: route.driver as FailureSource, own: ownKinds(route.config) }] : [],
    );
  }

  private async *read(campaign: CampaignRecord, chosen: SeqSet): AsyncGenerator<SourcedRecipient[], void, undefined> {
    for (const seqs of chosen.parts(RECIPIENTS_A_READ)) yield await this.recipients(campaign, seqs);
  }

  private async recipients({ id, ownKinds }: CampaignRecord, seqs: readonly number[]): Promise<SourcedRecipient[]> {
    const hasSenders = (ownKinds & OWN_KIND.senders) !== 0;
    const rows = await this.dataSource.query<{ seq: number; number: string; sender?: string | null }[]>(
      `SELECT STRAIGHT_JOIN r.seq, r.receiver AS number${hasSenders ? ', o.sender' : ''}
       FROM JSON_TABLE(?, '$[*]' COLUMNS (seq INT UNSIGNED PATH '$')) j
       JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = ? AND r.seq = j.seq
       ${hasSenders ? SENDER : ''} ORDER BY r.seq`,
      [JSON.stringify(seqs), id],
    );
    const keys = (ownKinds & OWN_KIND.variables) === 0 ? [] : seqs.map((seq) => ({ campaignId: id, seq }));
    const variables = await variablesOf(this.dataSource, keys);
    return rows.map(({ seq, number, sender }): SourcedRecipient => {
      const own = variables({ campaignId: id, seq });
      return { row: seq, number, ...(sender != null && { sender }), ...(own && { variables: own }) };
    });
  }

  /** `id >= ?` excludes retries of an older, expired campaign with the same request id. */
  private retriesOf({ id, accountId, requestId }: CampaignRecord): Promise<{ id: number }[]> {
    return this.dataSource.query('SELECT id FROM campaigns WHERE retry_of = ? AND account_id = ? AND id >= ?', [
      requestId,
      accountId,
      lowestId(timeOfId(id)),
    ]);
  }

  private async taken(campaign: CampaignRecord): Promise<SeqSet> {
    const taken = new SeqSet(campaign.totalRows);
    for (const { id } of await this.retriesOf(campaign)) {
      for (let afterSeq = 0; ;) {
        const rows: { seq: number; source: number | null; status: RecipientStatus }[] = await this.dataSource.query(
          `SELECT seq, source_seq AS source, status FROM campaign_recipients
           WHERE campaign_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
          [id, afterSeq, BATCH],
        );
        for (const row of rows) {
          if (row.source !== null && row.status !== RecipientStatus.Cancelled) taken.add(row.source);
        }
        const last = rows.at(-1);
        if (!last || rows.length < BATCH) break;
        afterSeq = last.seq;
      }
    }
    return taken;
  }
}

/** A bit set of recipient seqs: a million take 125 KB. */
class SeqSet {
  private readonly bits: Uint8Array;
  private count = 0;

  constructor(highest: number) {
    this.bits = new Uint8Array((highest >> 3) + 1);
  }

  get size(): number {
    return this.count;
  }

  add(seq: number): void {
    if (this.has(seq)) return;
    this.bits[seq >> 3] = (this.bits[seq >> 3] ?? 0) | (1 << (seq & 7));
    this.count += 1;
  }

  has(seq: number): boolean {
    return ((this.bits[seq >> 3] ?? 0) & (1 << (seq & 7))) !== 0;
  }

  *parts(size: number): Generator<number[], void, undefined> {
    let part: number[] = [];
    for (let seq = 1; seq < this.bits.length * 8; seq++) {
      if (!this.has(seq)) continue;
      part.push(seq);
      if (part.length < size) continue;
      yield part;
      part = [];
    }
    if (part.length > 0) yield part;
  }
}
