import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type AppError, conflict } from '../../../kernel/errors.js';
import { boundedCache } from '../../../platform/concurrency/index.js';
import { CreditBook, type Purse, purseKey } from '../../credits/index.js';
import { type GuardedSend, guardErrors } from '../../guard/index.js';
import { type Alongside, idempotencyErrors, IdempotencyKeys, type KeptOutcome } from '../../idempotency/index.js';
import { lockQuota } from '../../quotas/index.js';
import { CAMPAIGN_STATES, isEndState } from '../campaign.js';
import { acceptanceErrors, InsufficientCredits } from './acceptance.errors.js';
import type { AcceptedCampaign, CampaignDraft, DraftHead } from './draft.js';

export const FOREIGN_REQUEST_ID = 'request_id_foreign';
export type DraftIdentity = Pick<CampaignDraft, 'accountId' | 'requestId' | 'fingerprint'>;
type EarlierCampaign = Omit<AcceptedCampaign, 'repeated'> & { accountId: number; fingerprint: Buffer | null };
/** Answer to one draft; `refused` is thrown to its caller only, not to others of the group. */
export type Answer = { accepted: AcceptedCampaign } | { refused: Error };
interface Known {
  draft: DraftIdentity;
  outcome?: KeptOutcome<AcceptedCampaign> | undefined;
}

/** Finds earlier campaigns by caller-supplied id or `Idempotency-Key`. */
@Injectable()
export class EarlierCampaigns {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly keys: IdempotencyKeys,
  ) {}

  /** The first answer, or null if no campaign has the id. @throws AppError conflict `request_id already exists` */
  async repeated(draft: DraftIdentity): Promise<AcceptedCampaign | null> {
    const [answer] = await this.earlier([draft]);
    if (answer && 'refused' in answer) throw answer.refused;
    return answer?.accepted ?? null;
  }

  /** Answers drafts whose id or key was stored between the query and the commit; null = neither was. */
  async taken(waiting: readonly Known[]): Promise<(Answer | null)[]> {
    const earlier = await this.earlier(waiting.map(({ draft }) => draft));
    return Promise.all(
      waiting.map(async ({ outcome }, index): Promise<Answer | null> => {
        const answer = earlier[index] ?? null;
        if (answer || !outcome) return answer;
        const found = await this.keys.earlier(outcome.key.request);
        if (found.kind !== 'free') return { refused: idempotencyErrors.running() };
        outcome.key.replaces = found.replaces;
        return null;
      }),
    );
  }

  private async earlier(drafts: readonly DraftIdentity[]): Promise<(Answer | null)[]> {
    const ids = drafts.flatMap(({ requestId }) => ('given' in requestId ? [requestId.given] : []));
    if (ids.length === 0) return drafts.map(() => null);
    const rows: EarlierCampaign[] = await this.dataSource.query(
      `SELECT id, account_id AS accountId, request_id AS requestId, total_rows AS totalRows,
         unit_credits AS unitCredits, charged_credits AS chargedCredits, route_id AS routeId, fingerprint FROM campaigns WHERE request_id IN (?)`,
      [ids],
    );
    const byId = new Map(rows.map((row) => [row.requestId, row]));
    return drafts.map((draft): Answer | null => {
      const found = 'given' in draft.requestId ? byId.get(draft.requestId.given) : undefined;
      if (!found) return null;
      const { accountId, fingerprint, ...earlier } = found;
      if (accountId !== draft.accountId) return { refused: takenError(FOREIGN_REQUEST_ID) };
      if (!draft.fingerprint?.equals(fingerprint ?? Buffer.alloc(0)))
        return { refused: takenError('request_id_exists') };
      return { accepted: { ...earlier, repeated: true } };
    });
  }
}

/** Keeps the first draft of each caller-supplied id: the others get its answer. */
export function oncePerId<Draft extends Known>(waiting: readonly Draft[]): Draft[] {
  const seen = new Set<string>();
  return waiting.filter(({ draft: { requestId } }) => {
    if (!('given' in requestId)) return true;
    const isFirst = !seen.has(requestId.given);
    seen.add(requestId.given);
    return isFirst;
  });
}

const takenError = (code: string): AppError => conflict(code, acceptanceErrors.requestIdTaken.text)();

interface Asking {
  draft: Purse & { isTest?: boolean };
  total: number;
  sum: { charged: number };
  alongside?: unknown;
}

/** An entry kept needlessly costs its group a read; a forgotten one costs a transaction. */
const KEPT_MS = 3_600_000;
const MOST_KEPT = 100_000;

/**
 * Refuses unpayable drafts by a read without a lock; the conditional UPDATE of the debit decides. Writing a single message
 * costs no more than this read, so these read only balances that fell short lately, and all of them after a refused debit.
 */
@Injectable()
export class ShortBalances {
  private readonly short = boundedCache<string, true>(MOST_KEPT, { ttlMs: KEPT_MS });

  constructor(private readonly credits: CreditBook) {}

  /** A refusal or null per draft. @param asking in the order of charging @param all read every balance */
  async refusals(asking: readonly Asking[], all: boolean): Promise<(InsufficientCredits | null)[]> {
    const read = asking.filter((each) => all || isDear(each) || this.short.has(purseKey(each.draft)));
    if (read.length === 0) return asking.map(() => null);
    const availableOf = await this.credits.availableIn(read.map(({ draft }) => draft));
    const left = new Map(read.map(({ draft }) => [purseKey(draft), availableOf(draft)]));
    return asking.map(({ draft, sum: { charged } }) => {
      const key = purseKey(draft);
      const available = left.get(key);
      if (available === undefined) return null;
      if (charged > available) {
        this.short.set(key, true);
        return new InsufficientCredits(available, charged);
      }
      this.short.delete(key);
      if (!draft.isTest) left.set(key, available - charged);
      return null;
    });
  }
}

/** Whether a refused debit would undo many writes, or there is no debit that could be refused. */
const isDear = ({ draft, total, alongside }: Asking): boolean =>
  total > 1 || alongside !== undefined || draft.isTest === true;

/** Seconds until a caller may try again while other calls have not ended. */
const CALLS_RETRY_SECONDS = 60;
const UNENDED = CAMPAIGN_STATES.filter((state) => !isEndState(state));
/** A campaign has at least one call. */
const MOST_CAMPAIGNS = 10_000;

/** Adds the check of calls at once to the writes of a send; without such a limit, returns them unchanged. */
export function withinCalls(
  guard: GuardedSend | null,
  { accountId, channel }: Pick<DraftHead, 'accountId' | 'channel'>,
  alongside: Alongside<AcceptedCampaign> | undefined,
): Alongside<AcceptedCampaign> | undefined {
  const most = guard?.callsAtOnce ?? null;
  if (most === null) return alongside;
  return async (tx, accepted) => {
    await alongside?.(tx, accepted);
    await lockQuota(tx, accountId, 'calls');
    const others = await unended(tx, accountId, channel, accepted.id);
    if (others + accepted.totalRows > most) throw guardErrors.calls(CALLS_RETRY_SECONDS);
  };
}

async function unended(tx: EntityManager, accountId: number, channel: string, except: number): Promise<number> {
  const [row] = await tx.query<{ calls: number | string }[]>(
    `SELECT COALESCE(SUM(k.unsettled), 0) AS calls FROM (
       SELECT id FROM campaigns FORCE INDEX (ix_campaigns_account_state)
       WHERE account_id = ? AND state IN (?) AND channel = ? AND is_test = 0 AND id <> ? LIMIT ${MOST_CAMPAIGNS}) c
     JOIN campaign_counters k ON k.campaign_id = c.id`,
    [accountId, UNENDED, channel, except],
  );
  return Number(row?.calls ?? 0);
}
