import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type AppError, conflict } from '../../../kernel/errors.js';
import { boundedCache } from '../../../platform/concurrency/index.js';
import { CreditBook, type Purse, purseKey } from '../../credits/index.js';
import { idempotencyErrors, IdempotencyKeys, type KeptOutcome } from '../../idempotency/index.js';
import { acceptanceErrors, InsufficientCredits } from './acceptance.errors.js';
import type { AcceptedCampaign, CampaignDraft } from './draft.js';

/** Code of the conflict with another account's id; its text is that of every such conflict. */
export const FOREIGN_REQUEST_ID = 'request_id_foreign';
/** What says whether a draft came before. */
export type DraftIdentity = Pick<CampaignDraft, 'accountId' | 'requestId' | 'fingerprint'>;
/** The campaign that a caller-supplied id names already. */
type EarlierCampaign = Omit<AcceptedCampaign, 'repeated'> & { accountId: number; fingerprint: Buffer | null };
/** What a draft is answered; `refused` is thrown to its caller, and to no other caller of its group. */
export type Answer = { accepted: AcceptedCampaign } | { refused: Error };
/** A draft that may have come before, by its id or by its key. */
interface Known {
  draft: DraftIdentity;
  outcome?: KeptOutcome<AcceptedCampaign> | undefined;
}

/** Finds what earlier requests have stored under a caller-supplied id, or under an `Idempotency-Key`. */
@Injectable()
export class EarlierCampaigns {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly keys: IdempotencyKeys,
  ) {}

  /** @returns null = there is no campaign of that id @throws AppError conflict `request_id already exists` */
  async repeated(draft: DraftIdentity): Promise<AcceptedCampaign | null> {
    const [answer] = await this.earlier([draft]);
    if (answer && 'refused' in answer) throw answer.refused;
    return answer?.accepted ?? null;
  }

  /** What those are answered whose id or key was stored between the look and the commit; null = neither was. */
  async taken(waiting: readonly Known[]): Promise<(Answer | null)[]> {
    const earlier = await this.earlier(waiting.map(({ draft }) => draft));
    return Promise.all(
      waiting.map(async ({ outcome }, place): Promise<Answer | null> => {
        const answer = earlier[place] ?? null;
        if (answer || !outcome) return answer;
        const found = await this.keys.earlier(outcome.key.request);
        if (found.kind !== 'free') return { refused: idempotencyErrors.running() };
        outcome.key.replaces = found.replaces;
        return null;
      }),
    );
  }

  /** What each draft under a caller-supplied id is answered when there is a campaign of that id; null = there is none. */
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

/** Of drafts under the same caller-supplied id the first: the others get its answer. */
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

/** What a draft asks of the balance that pays for it, and what is written before that is debited. */
interface Asking {
  draft: Purse;
  total: number;
  sum: { charged: number };
  alongside?: unknown;
}

/** A balance that is remembered costs its group a read, one that was forgotten a transaction. */
const KEPT_MS = 3_600_000;
const MOST_KEPT = 100_000;

/**
 * Refuses what cannot be paid before anything is written, by a read without a lock; the conditional UPDATE of the debit stays
 * the judge. A draft of one recipient and nothing else is as quickly written as its balance is read, and most balances suffice:
 * of these only those are read that fell short lately, and all of a group whose debit was refused.
 */
@Injectable()
export class ShortBalances {
  private readonly short = boundedCache<string, true>(MOST_KEPT, { ttlMs: KEPT_MS });

  constructor(private readonly credits: CreditBook) {}

  /**
   * @param asking in the order in which they are charged
   * @param all whether all balances are read
   * @returns the refusal of each that cannot be paid, null for the others
   */
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
      left.set(key, available - charged);
      return null;
    });
  }
}

/** Whether much would be written in vain. */
const isDear = ({ total, alongside }: Asking): boolean => total > 1 || alongside !== undefined;
