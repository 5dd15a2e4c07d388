import { Injectable } from '@nestjs/common';
import { TtlCache, Semaphore } from '../../platform/concurrency/index.js';
import { ReadDatabase } from '../../platform/database/index.js';
import { type CampaignRecord, RecipientStatus } from '../engine/index.js';
import { RECIPIENTS_A_READ } from './campaign-scan.js';

export interface FailureReason {
  errorCode: number | null;
  message: string | null;
  carrierCode: string | null;
  isRefused: boolean;
  count: number;
}

export interface FailureReasons {
  reasons: FailureReason[];
  /** extrapolated from a sample of the campaign */
  isApproximate: boolean;
}

interface ReasonRow {
  error_code: number | null;
  error_message: string | null;
  carrier_code: string | null;
  refused: number;
  total: string;
}

const MOST_SHOWN = 20;
/** A finished campaign does not change, so it is counted completely, once. */
const MOST_COUNTED_WHOLE = 2_000_000;
/** Evenly spread samples of a larger campaign. */
const PARTS = 25;
const ROWS_A_PART = 4_000;
/** Bounds the map: texts with embedded numbers are all distinct reasons. */
const MOST_REASONS = 1_000;
const KEPT_MS = 10_000;
/** A smaller campaign is recounted after every failure, which is cheap. */
const FEW = 10_000;
const KEPT_OF_ENDED_MS = 3_600_000;
const MOST_KEPT = 1_000;
/** Counts per process, so that other requests still get connections. */
const AT_ONCE = 2;
const NONE: FailureReasons = { reasons: [], isApproximate: false };

/**
 * Counts failure reasons by scanning recipients on request (docs/decisions/0027): counters per reason would slow every settled
 * message, an index on statuses every recipient.
 */
@Injectable()
export class FailureReasonCounts {
  private readonly open = new TtlCache<string, FailureReasons>(KEPT_MS, MOST_KEPT);
  private readonly ended = new TtlCache<number, FailureReasons>(KEPT_OF_ENDED_MS, MOST_KEPT);
  private readonly permits = new Semaphore(AT_ONCE);

  constructor(private readonly reads: ReadDatabase) {}

  of(campaign: CampaignRecord, failed: number): Promise<FailureReasons> {
    if (failed === 0) return Promise.resolve(NONE);
    const { id, completedAt, totalRows } = campaign;
    const count = (): Promise<FailureReasons> => this.permits.run(() => this.count(campaign, failed));
    // A replica may lag behind the counter, so a result is kept long only when it includes all failures.
    if (completedAt === null) return this.open.get(totalRows <= FEW ? `${id} ${failed}` : String(id), count);
    return this.ended.get(id, async () => {
      const counted = await count();
      if (sumOf(counted) < failed) this.ended.delete(id);
      return counted;
    });
  }

  private async count({ id, totalRows, completedAt }: CampaignRecord, failed: number): Promise<FailureReasons> {
    const isWhole = totalRows <= (completedAt === null ? RECIPIENTS_A_READ : MOST_COUNTED_WHOLE);
    const found = new Map<string, FailureReason>();
    for (const [from, upTo] of isWhole ? wholeOf(totalRows) : partsOf(totalRows)) {
      for (const row of await this.readReasons(id, from, upTo)) {
        const key = `${row.error_code} ${row.refused} ${row.carrier_code} ${row.error_message}`;
        const reason = found.get(key) ?? reasonOf(row);
        reason.count += Number(row.total);
        found.set(key, reason);
      }
    }
    const all = [...found.values()].sort((a, b) => b.count - a.count);
    const seen = all.reduce((sum, { count }) => sum + count, 0);
    const share = isWhole || seen === 0 ? 1 : failed / seen;
    const reasons = all
      .slice(0, MOST_SHOWN)
      .map((one) => ({ ...one, count: Math.max(1, Math.round(one.count * share)) }));
    return { reasons, isApproximate: !isWhole };
  }

  private readReasons(campaignId: number, from: number, upTo: number): Promise<ReasonRow[]> {
    return this.reads.query<ReasonRow[]>(
      `SELECT error_code, error_message, carrier_code, refused, COUNT(*) AS total FROM campaign_recipients
       WHERE campaign_id = ? AND seq > ? AND seq <= ? AND status = ${RecipientStatus.Failed}
       GROUP BY error_code, error_message, carrier_code, refused ORDER BY total DESC LIMIT ${MOST_REASONS}`,
      [campaignId, from, upTo],
    );
  }
}

const reasonOf = (row: ReasonRow): FailureReason => ({
  errorCode: row.error_code,
  message: row.error_message,
  carrierCode: row.carrier_code,
  isRefused: row.refused === 1,
  count: 0,
});

const sumOf = ({ reasons }: FailureReasons): number => reasons.reduce((sum, { count }) => sum + count, 0);

function* wholeOf(total: number): Generator<[from: number, upTo: number]> {
  for (let from = 0; from < total; from += RECIPIENTS_A_READ) yield [from, from + RECIPIENTS_A_READ];
}

function* partsOf(total: number): Generator<[from: number, upTo: number]> {
  for (let part = 0; part < PARTS; part++) {
    const from = Math.floor((total / PARTS) * part);
    yield [from, from + ROWS_A_PART];
  }
}
