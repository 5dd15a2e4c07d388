import { Injectable } from '@nestjs/common';
import { jsonRows, QuotedText, type Statement } from '../../../platform/database/index.js';
import { Channels } from '../channels.js';
import { type PlannedLane, planLanes, chainOf, chainText, type RouteChain } from '../lanes.js';
import { RecipientStatus } from '../recipient.js';
import { type DraftSum, termsBatches, variablesBatches, type DraftHead, type RecipientPage } from './draft.js';

export interface NumberedHead {
  id: number;
  /** absent = no trace is recorded */
  traceParent?: string | null;
  requestId: string;
  draft: DraftHead;
  total: number;
  sum: DraftSum;
}

export type WrittenFor = Pick<NumberedHead, 'id' | 'draft' | 'sum'>;

type WrittenEarly = Pick<WrittenFor, 'id'> & Partial<WrittenFor>;

export interface NumberedDraft extends WrittenFor {
  page: RecipientPage;
}

type PlannedHead = NumberedHead & { lanes: readonly PlannedLane[] };

/** Up to this size, the recipients of all drafts of a group share one statement. */
const SMALL = 100;

/** End of the validity. Parameters: schedule, seconds. */
const SETTLE_AT = 'COALESCE(?, UTC_TIMESTAMP(3)) + INTERVAL ? SECOND';

/** The set-based statements that write accepted campaigns. They need no answers; all times are the database's. */
@Injectable()
export class CampaignWriter {
  constructor(private readonly channels: Channels) {}

  /** Recipients and terms of a group of drafts; all small drafts share one statement. */
  *recipients(drafts: readonly NumberedDraft[]): Generator<Statement, void, undefined> {
    const isSmall = ({ page: { numbers, sources } }: NumberedDraft): boolean => numbers.length <= SMALL && !sources;
    const rows = drafts
      .filter(isSmall)
      .flatMap(({ id, page }) => page.numbers.map((number, at) => [id, at + 1, number]));
    if (rows.length > 0) {
      yield {
        sql: `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
          VALUES ${rows.map(() => `(?,?,?,${RecipientStatus.Pending},0,UTC_TIMESTAMP(3))`).join(',')}`,
        values: rows.flat(),
      };
    }
    for (const draft of drafts) yield* isSmall(draft) ? terms(draft, draft.page) : this.page(draft, draft.page);
  }

  /** Recipients and terms of one page. */
  *page(entry: WrittenEarly, page: RecipientPage): Generator<Statement, void, undefined> {
    const { from, numbers, sources } = page;
    if (numbers.length > 0) {
      const receiver = 'receiver VARCHAR(32) CHARACTER SET ascii PATH';
      const columns = sources ? `${receiver} '$[1]', source_seq INT PATH '$[0]'` : `${receiver} '$'`;
      const also = sources ? ', source_seq' : '';
      yield {
        sql: `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at${also})
          SELECT ?, ? + j.ordinal, j.receiver, ${RecipientStatus.Pending}, 0, UTC_TIMESTAMP(3)${also}
          FROM JSON_TABLE(?, '$[*]' COLUMNS (ordinal FOR ORDINALITY, ${columns})) j`,
        values: [
          entry.id,
          from,
          sources ? jsonRows(numbers.map((number, at) => [sources[at], number])) : jsonDigits(numbers),
        ],
      };
    }
    yield* terms(entry, page);
  }

  /** Campaigns with counters, lanes and route chains, without recipients. */
  heads(heads: readonly NumberedHead[]): Statement[] {
    const planned = heads.map((head) => ({ ...head, lanes: planLanes(head.total, head.sum.own?.groups) }));
    return [campaigns(planned), counters(planned), this.lanes(planned), ...chains(planned)];
  }

  private lanes(heads: readonly PlannedHead[]): Statement {
    const rows = heads.flatMap(({ id, draft, total, sum, lanes }) =>
      lanes.map((range) => [
        id,
        range.lane,
        draft.channel,
        sum.own?.chains[range.group]?.[0] ?? draft.routeId,
        draft.accountId,
        total === 1 ? 1 : 0,
        range.from,
        range.from,
        range.end,
        0,
        draft.initialState === 'pending_approval' ? 0 : 1,
        draft.scheduledAt ?? null,
        draft.scheduledAt ?? null,
        settlesAfter(draft, this.channels.find(draft.channel)?.validitySeconds?.(draft.content) ?? null),
      ]),
    );
    return {
      sql: `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq, fence, wake_at,
         settle_at)
       VALUES ${rows.map(() => `(?,?,?,?,?,?,?,?,?,?,IF(?, COALESCE(?, UTC_TIMESTAMP(3)), NULL),${SETTLE_AT})`).join(',')}`,
      values: rows.flat(),
    };
  }
}

/** Seconds until its lanes are looked at whatever their route does: its validity is over, or it is late. */
const settlesAfter = ({ scheduledAt, late }: DraftHead, validity: number | null): number | null => {
  if (!scheduledAt || !late || late.late === 'send') return validity;
  return Math.min(late.afterSeconds, validity ?? Infinity);
};

const campaigns = (heads: readonly PlannedHead[]): Statement => ({
  sql: `INSERT INTO campaigns (id, account_id, request_id, channel, state, is_test, broadcast_name, service, route_id, sender, category, content,
     fingerprint, balance, unit_credits, own_terms, own_kinds, charged_credits,
     total_rows, open_lanes, refunded_credits, retry_of, scheduled_at, late, late_after_s, late_at, created_by, tags, trace_parent, created_at)
   VALUES ${heads.map(() => '(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,?,?,?,?,?,?,?,?,UTC_TIMESTAMP(3))').join(',')}`,
  values: heads.flatMap(({ id, requestId, draft, total, sum, lanes, traceParent }) => [
    id,
    draft.accountId,
    requestId,
    draft.channel,
    draft.initialState,
    draft.isTest ? 1 : 0,
    draft.broadcastName,
    draft.service,
    draft.routeId,
    draft.sender ?? null,
    draft.category ?? null,
    JSON.stringify(draft.content),
    draft.fingerprint ?? null,
    draft.balance,
    // whatever refunds a test later finds a price of 0; what it would have cost stands in charged_credits
    draft.isTest ? 0 : draft.unitCredits,
    sum.own?.hasTerms ? 1 : 0,
    sum.own?.kinds ?? 0,
    sum.charged,
    total,
    lanes.length,
    draft.retryOf ?? null,
    draft.scheduledAt ?? null,
    draft.late?.late ?? null,
    draft.late?.afterSeconds ?? null,
    lateAt(draft),
    draft.createdBy ?? null,
    draft.tags ? JSON.stringify(draft.tags) : null,
    traceParent ?? null,
  ]),
});

const lateAt = ({ scheduledAt, late }: DraftHead): Date | null =>
  scheduledAt && late && late.late !== 'send' ? new Date(scheduledAt.getTime() + late.afterSeconds * 1_000) : null;

function counters(heads: readonly PlannedHead[]): Statement {
  const rows = heads.flatMap(({ id, lanes }) =>
    lanes.map(({ lane, recipients }) => [id, lane, RecipientStatus.Pending, recipients, recipients]),
  );
  return {
    sql: `INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled)
      VALUES ${rows.map(() => '(?,?,?,?,?)').join(',')}`,
    values: rows.flat(),
  };
}

/** Only chains with fallback routes are stored. */
function chains(heads: readonly PlannedHead[]): Statement[] {
  const rows = heads.flatMap(({ id, draft, sum }) => {
    const own: readonly RouteChain[] = sum.own?.chains ?? [chainOf(draft.routeId, draft.fallbacks)];
    return own.flatMap((chain, group) => (chain.length > 1 ? [[id, group, chainText(chain)]] : []));
  });
  if (rows.length === 0) return [];
  const sql = `INSERT INTO campaign_routes (campaign_id, lane_group, route_ids) VALUES ${rows.map(() => '(?,?,?)').join(',')}`;
  return [{ sql, values: rows.flat() }];
}

function* terms({ id, draft, sum }: WrittenEarly, page: RecipientPage): Generator<Statement, void, undefined> {
  if (page.terms && !(draft && sum)) throw new Error('terms follow from all recipients');
  for (const rows of draft && sum ? termsBatches(id, page, draft, sum) : []) {
    yield {
      sql: `INSERT INTO recipient_terms (campaign_id, seq, lane_group, credits, sender, route_id)
        SELECT j.campaign_id, j.seq, j.lane_group, j.credits, j.sender, j.route_id FROM JSON_TABLE(?, '$[*]' COLUMNS (
          campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', lane_group INT PATH '$[2]', credits BIGINT PATH '$[3]',
          sender VARCHAR(32) CHARACTER SET utf8mb4 PATH '$[4]', route_id BIGINT PATH '$[5]')) j`,
      values: [rows],
    };
  }
  for (const rows of variablesBatches(id, page)) {
    yield {
      sql: `INSERT INTO recipient_variables (campaign_id, block, variables) VALUES ${rows.map(() => '(?,?,?)').join(',')}`,
      values: rows.flat(),
    };
  }
}

const jsonDigits = (digits: readonly string[]): QuotedText =>
  new QuotedText(digits.length === 0 ? '[]' : `["${digits.join('","')}"]`);
