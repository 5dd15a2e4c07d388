import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { type Tracing, TRACING } from '../../../platform/observability/index.js';
import { RelayNotifier, SingleSignalStream } from '../../../platform/queues/index.js';
import { CreditBook } from '../../credits/index.js';
import { type Alongside, IdempotencyKeys, type KeptOutcome } from '../../idempotency/index.js';
import { CampaignTraces } from '../state/campaign-briefs.js';
import { InsufficientCredits, Outspent } from './acceptance.errors.js';
import { CampaignWriter, type NumberedHead } from './campaign-writer.js';
import { type Answer, type DraftIdentity, EarlierCampaigns, oncePerId, ShortBalances } from './draft-answers.js';
import {
  type AcceptedCampaign,
  type CampaignDraft,
  type DraftHead,
  type DraftSum,
  leavesNow,
  pagesOf,
  type RecipientPage,
  sumOf,
} from './draft.js';
import { type DraftRecipients, LargeDraftRecipients, Staging, wholePage } from './large-drafts.js';

interface Payable {
  draft: DraftHead;
  /** recipients */
  total: number;
  sum: { charged: number };
}

/** Signals of messages of one recipient (docs/decisions/0064). */
@Injectable()
export class SingleSignals {
  constructor(
    private readonly credits: CreditBook,
    private readonly signals: SingleSignalStream,
  ) {}

  /**
   * Tells workers of messages of one recipient that leave now, once one of them is known to be paid. It reads the balances
   * itself, at most as often as there is something to tell: the group does not wait for it. Never fails.
   */
  async tell(payable: readonly Payable[]): Promise<void> {
    if (!this.signals.isDue) return;
    const single = payable.filter(({ draft, total }) => total === 1 && leavesNow(draft));
    if (single.length === 0) return;
    const reading = this.credits.availableIn(single.map(({ draft }) => draft)).catch(() => () => -1);
    const availableOf = await reading;
    if (single.some(({ draft, sum }) => sum.charged <= availableOf(draft))) this.signals.tell();
  }
}

/** A draft on its way into a transaction. */
interface WaitingDraft {
  draft: DraftHead;
  total: number;
  sum: DraftSum;
  /** all of its recipients; null = they are written already */
  page: RecipientPage | null;
  /** further writes of its transaction */
  alongside?: Alongside<AcceptedCampaign> | undefined;
  /** an `Idempotency-Key` that is stored with it */
  outcome?: KeptOutcome<AcceptedCampaign> | undefined;
  /** the id under which its recipients are written already */
  stagedId?: number;
  /** the step of the request's trace that it goes on with; null = none is recorded */
  traceParent: string | null;
}

type Numbered = NumberedHead & WaitingDraft;
type Committing = Pick<WaitingDraft, 'alongside' | 'outcome' | 'traceParent'>;

/** Larger drafts get a transaction of their own, so that small requests do not wait behind their rows. */
const GROUPED_RECIPIENTS = 1_000;
/** From here on the recipients are written before, in several commits. */
const LARGE_DRAFT_RECIPIENTS = 25_000;
/** Two at once: while one waits for the disk, the statements of the next run, which waits for half a group. */
const GROUP = { maxItems: 64, delayMs: 0, atOnce: 2, beside: { maxItems: 32, delayMs: 10 } };
const ROUNDS = 6;

/**
 * The one door into the engine: everything of a campaign, or nothing. Requests that wait at the same moment share a
 * transaction, whosever they are (docs/decisions/0025).
 */
@Injectable()
export class CampaignAcceptance {
  private readonly group = new GroupCommit<WaitingDraft, Answer>((waiting) => this.commit(waiting), GROUP);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly credits: CreditBook,
    private readonly shortBalances: ShortBalances,
    private readonly keys: IdempotencyKeys,
    private readonly writer: CampaignWriter,
    private readonly staged: LargeDraftRecipients,
    private readonly relay: RelayNotifier,
    private readonly signals: SingleSignals,
    private readonly earlier: EarlierCampaigns,
    private readonly traces: CampaignTraces,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {}

  /**
   * Debits the credits and stores the campaign with all its recipients; after the commit the relay hears of what is due.
   * A draft whose caller-supplied id exists gets the first answer.
   * @param alongside further writes of the same transaction; what it throws rolls the campaign back
   * @param outcome of the request's `Idempotency-Key`, stored in the same transaction
   * @throws AppError invalid `Insufficient credits. Available: X, Required: Y`; conflict `request_id already exists`; conflict
   * `A request with this Idempotency-Key is still running` when the key was stored meanwhile
   */
  async accept(
    draft: CampaignDraft,
    alongside?: Alongside<AcceptedCampaign>,
    outcome?: KeptOutcome<AcceptedCampaign>,
  ): Promise<AcceptedCampaign> {
    const { recipients, terms, ...head } = draft;
    const sum = sumOf(draft);
    const all = { total: recipients.length, sum, pages: () => pagesOf(draft) };
    return this.acceptRecipients(head, all, alongside, outcome);
  }

  /**
   * Where the recipients of a large send are put while it is judged; null = it is small. Who does not come as far as
   * `acceptRecipients` with it abandons it.
   */
  stagingOf(accountId: number, total: number): Staging | null {
    return total >= LARGE_DRAFT_RECIPIENTS ? new Staging(this.staged.open(), accountId, this.credits) : null;
  }

  /** As `accept`, of recipients some of whom may be written already. */
  async acceptRecipients(
    draft: DraftHead,
    recipients: DraftRecipients,
    alongside?: Alongside<AcceptedCampaign>,
    outcome?: KeptOutcome<AcceptedCampaign>,
  ): Promise<AcceptedCampaign> {
    try {
      const answer = await this.traced(draft, recipients.total, (traceParent) =>
        this.answerTo(draft, recipients, { alongside, outcome, traceParent }),
      );
      if ('refused' in answer) return await this.spentByItself(draft, answer.refused);
      if (!answer.accepted.repeated) this.ring(draft, recipients);
      return answer.accepted;
    } finally {
      await recipients.staging?.abandon();
    }
  }

  /** As a step of the request's trace, if it is recorded. */
  private async traced<Result>(
    { channel }: DraftHead,
    total: number,
    work: (traceParent: string | null) => Promise<Result>,
  ): Promise<Result> {
    const parent = this.tracing.current();
    if (parent === null) return work(null);
    const facts = { 'switchboard.channel': channel, 'switchboard.recipients': total };
    const span = this.tracing.start('accept campaign', { parent, facts });
    return work(span.traceParent).finally(() => span.end());
  }

  private ring(draft: DraftHead, { total, sum: { own } }: DraftRecipients): void {
    if (!leavesNow(draft)) return;
    const { channel, routeId } = draft;
    const routes = own ? new Set(own.chains.flatMap((chain) => chain.slice(0, 1))) : [routeId];
    this.relay.notify([...routes].map((each) => ({ channel, routeId: each, single: total === 1 })));
  }

  private async answerTo(draft: DraftHead, recipients: DraftRecipients, committing: Committing): Promise<Answer> {
    const { total, sum } = recipients;
    if (total >= LARGE_DRAFT_RECIPIENTS) return this.commitStaged(draft, recipients, committing);
    const waiting = { draft, total, sum, page: wholePage(recipients), ...committing };
    return total <= GROUPED_RECIPIENTS ? this.group.add(waiting) : this.commitOne(waiting);
  }

  /**
   * The first answer to the same request under a caller-supplied id (reference/sms#own-ids); null = none yet.
   * @throws AppError conflict `request_id already exists`
   */
  repeated(draft: DraftIdentity): Promise<AcceptedCampaign | null> {
    return this.earlier.repeated(draft);
  }

  /** What has spent the credits may have been the same request under the same id, at the same moment. */
  private async spentByItself(draft: DraftIdentity, refusal: Error): Promise<AcceptedCampaign> {
    const repeated = refusal instanceof InsufficientCredits ? await this.repeated(draft) : null;
    if (!repeated) throw refusal;
    return repeated;
  }

  /** Recipients first; what does not come about leaves none of them. */
  private async commitStaged(draft: DraftHead, recipients: DraftRecipients, committing: Committing): Promise<Answer> {
    const { total, sum, staging } = recipients;
    const available = staging?.shortOf ?? (await this.credits.available(draft.accountId, draft.balance));
    if (sum.charged > available) return { refused: new InsufficientCredits(available, sum.charged) };
    const stage = staging?.stage ?? this.staged.open();
    try {
      const stagedId = await this.staged.write(draft, recipients, stage);
      const answer = await this.commitOne({ draft, total, sum, page: null, stagedId, ...committing });
      if ('accepted' in answer && answer.accepted.id === stagedId) stage.keep();
      return answer;
    } finally {
      await stage.abandon();
    }
  }

  private async commitOne(waiting: WaitingDraft): Promise<Answer> {
    return (await this.commit([waiting]))[0] as Answer;
  }

  /** Never throws: a part of a group that has committed gets its answers, whatever becomes of another part. */
  private async commit(waiting: readonly WaitingDraft[]): Promise<Answer[]> {
    const answers = new Map<WaitingDraft, Answer>();
    const unanswered = new Error('a draft was left without an answer');
    const fault = await this.answerAll(waiting, answers).then(
      () => unanswered,
      (error: unknown) => (error instanceof Error ? error : unanswered),
    );
    return waiting.map((each) => answers.get(each) ?? { refused: fault });
  }

  /**
   * One transaction for all, again with all balances read if one fell short. Those whose id or key another request has stored
   * are answered by it, and the others go again, with new ids. A lost race for credits, and a duplicate key that is neither an
   * id's nor a request's, part them.
   * @param answers is filled, also up to a fault
   */
  private async answerAll(waiting: readonly WaitingDraft[], answers: Map<WaitingDraft, Answer>): Promise<void> {
    const note = (drafts: readonly WaitingDraft[], made: readonly (Answer | null)[]): void =>
      drafts.forEach((each, place) => {
        const answer = made[place];
        if (answer) answers.set(each, answer);
      });
    for (let round = 1, readsAll = false; answers.size < waiting.length; round++) {
      const left = waiting.filter((each) => !answers.has(each));
      const going = oncePerId(left);
      try {
        note(going, await this.attempt(going, readsAll));
      } catch (error) {
        if (error instanceof Outspent && !readsAll) {
          readsAll = true;
          continue;
        }
        const isTaken = isDuplicateKey(error);
        if (isTaken) {
          note(left, await this.earlier.taken(left));
          if (round < ROUNDS || answers.size > waiting.length - left.length) continue;
        }
        if (!(isTaken || error instanceof Outspent || error instanceof AppError)) throw error;
        if (going.length > 1) note(going, await this.inHalves(going));
        else if (error instanceof AppError)
          note(going, [{ refused: error }]); // by what was to be written alongside
        else if (round >= ROUNDS) throw error;
      }
    }
  }

  /** In order. One that cannot be met costs a group of 64 six smaller transactions more, and not 64. */
  private async inHalves(waiting: readonly WaitingDraft[]): Promise<Answer[]> {
    const middle = Math.ceil(waiting.length / 2);
    return [...(await this.commit(waiting.slice(0, middle))), ...(await this.commit(waiting.slice(middle)))];
  }

  private async attempt(waiting: readonly WaitingDraft[], readsAll: boolean): Promise<Answer[]> {
    const refusals = await this.shortBalances.refusals(waiting, readsAll);
    const payable = waiting.filter((_, place) => !refusals[place]);
    void this.signals.tell(payable);
    const accepted = payable.length > 0 ? await this.write(payable) : [];
    const answers = new Map(payable.map((entry, place) => [entry, accepted[place]]));
    return waiting.map((entry, place): Answer => {
      const refused = refusals[place];
      return refused ? { refused } : { accepted: answers.get(entry) as AcceptedCampaign };
    });
  }

  private async write(payable: readonly WaitingDraft[]): Promise<AcceptedCampaign[]> {
    const write = async (tx: EntityManager): Promise<AcceptedCampaign[]> => {
      // Made anew each time: another process may have taken one of them.
      const numbered = payable.map((entry): Numbered => {
        const { requestId: own } = entry.draft;
        const requestId = 'given' in own ? own.given : own.make();
        return { ...entry, id: entry.stagedId ?? newId(), requestId };
      });
      await this.writer.insertHeads(tx, numbered);
      await this.traces.keep(
        tx,
        numbered.flatMap(({ id, traceParent }) => (traceParent ? [{ id, traceParent }] : [])),
      );
      await this.writer.insertRecipients(
        tx,
        numbered.flatMap(({ page, ...entry }) => (page ? [{ ...entry, page }] : [])),
      );
      for (const { stagedId } of numbered) if (stagedId !== undefined) await this.staged.end(tx, stagedId);
      for (const entry of numbered) await entry.alongside?.(tx, acceptedOf(entry));
      await this.keys.store(
        tx,
        numbered.flatMap((entry) => {
          const { outcome } = entry;
          return outcome ? [{ key: outcome.key, outcome: outcome.outcomeOf(acceptedOf(entry)) }] : [];
        }),
      );
      // Last before the commit: the balances are locked for three round trips only.
      const charges = numbered.map(({ requestId, draft, sum: { charged: amount, usage: shares } }) => {
        const { accountId, balance, channel, createdBy = null } = draft;
        return { accountId, balance, requestId, amount, usage: { channel, shares }, createdBy };
      });
      if (!(await this.credits.debit(tx, charges))) throw new Outspent();
      return numbered.map(acceptedOf);
    };
    // All of them came about, or none.
    const committed = ([first]: readonly AcceptedCampaign[]) =>
      first ? { table: 'campaigns', where: { id: first.id, request_id: first.requestId } } : null;
    const accepted = await inTransaction(this.dataSource, write, { committed });
    for (const { outcome } of payable) outcome?.stored();
    return accepted;
  }
}

const acceptedOf = ({ id, requestId, draft, total, sum }: Numbered): AcceptedCampaign => ({
  id,
  requestId,
  totalRows: total,
  unitCredits: draft.unitCredits,
  chargedCredits: sum.charged,
  routeId: draft.routeId,
  repeated: false,
});
