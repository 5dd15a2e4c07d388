import { Inject, Injectable } from '@nestjs/common';
import { Sealer } from '../../../platform/security/index.js';
import { concealedContent, type Content } from '../channel.js';
import { AppError } from '../../../kernel/errors.js';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import { isDuplicateKey } from '../../../platform/database/index.js';
import { type Tracing, TRACING } from '../../../platform/observability/index.js';
import { RelayNotifier } from '../../../platform/queues/index.js';
import { CreditBook, isOverdrawn } from '../../credits/index.js';
import type { Alongside, KeptOutcome } from '../../idempotency/index.js';
import { InsufficientCredits } from './acceptance.errors.js';
import { CampaignStorage, type WaitingDraft } from './campaign-storage.js';
import { type Answer, type DraftIdentity, EarlierCampaigns, oncePerId, ShortBalances } from './draft-answers.js';
import { type AcceptedCampaign, type CampaignDraft, type DraftHead, leavesNow, pagesOf, sumOf } from './draft.js';
import { type DraftRecipients, LargeDraftRecipients, LargeDraft, wholePage } from './large-drafts.js';

type Committing = Pick<WaitingDraft, 'alongside' | 'outcome' | 'traceParent'>;

/** Larger drafts get their own transaction, so that small requests do not wait behind their rows. */
const GROUPED_RECIPIENTS = 1_000;
const LARGE_DRAFT_RECIPIENTS = 25_000;
/** Two at once: while one commit waits for the disk, the next group runs its statements once it is half full. */
const GROUP = { maxItems: 64, delayMs: 0, atOnce: 2, beside: { maxItems: 32, delayMs: 10 } };
const MAX_TRIES = 6;

/**
 * Accepts campaigns, all or nothing, in one round trip. Concurrent requests share it (docs/decisions/0025).
 * @example
 * return this.acceptance.accept({ ...head, unitCredits, balance, routeId, recipients }, alongside, outcome);
 */
@Injectable()
export class CampaignAcceptance {
  private readonly group = new GroupCommit<WaitingDraft, Answer>((waiting) => this.commit(waiting), GROUP);

  constructor(
    private readonly storage: CampaignStorage,
    private readonly credits: CreditBook,
    private readonly shortBalances: ShortBalances,
    private readonly largeDrafts: LargeDraftRecipients,
    private readonly relay: RelayNotifier,
    private readonly earlier: EarlierCampaigns,
    private readonly sealer: Sealer,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {}

  /** A content as it is stored: with stars in place of the secret, and the original sealed. */
  concealed(content: Content, secret: string): Content {
    return concealedContent(this.sealer, content, secret);
  }

  /**
   * Debits the credits, stores the campaign, then notifies the relay. A repeat under a caller-supplied id gets the first
   * answer.
   * @throws AppError `Insufficient credits. Available: X, Required: Y`; `request_id already exists`; `A request with this
   * Idempotency-Key is still running`
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

  /** Writes recipients of a large send while they are priced; null = small send. Abandon it if the send fails. */
  largeDraftOf(accountId: number, total: number): LargeDraft | null {
    return total >= LARGE_DRAFT_RECIPIENTS ? new LargeDraft(this.largeDrafts.open(), accountId, this.credits) : null;
  }

  /** As `accept`, for recipients of whom some may already be written. */
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
      if (!answer.accepted.repeated) this.notifyRelay(draft, recipients);
      return answer.accepted;
    } finally {
      await recipients.largeDraft?.abandon();
    }
  }

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

  private notifyRelay(draft: DraftHead, { total, sum: { own } }: DraftRecipients): void {
    if (!leavesNow(draft)) return;
    const { channel, routeId } = draft;
    const routes = own ? new Set(own.chains.flatMap((chain) => chain.slice(0, 1))) : [routeId];
    this.relay.notify([...routes].map((each) => ({ channel, routeId: each, single: total === 1 })));
  }

  private async answerTo(draft: DraftHead, recipients: DraftRecipients, committing: Committing): Promise<Answer> {
    const { total, sum } = recipients;
    if (total >= LARGE_DRAFT_RECIPIENTS) return this.commitLarge(draft, recipients, committing);
    const waiting = { draft, total, sum, page: wholePage(recipients), ...committing };
    return total <= GROUPED_RECIPIENTS ? this.group.add(waiting) : this.commitOne(waiting);
  }

  /** The first answer under a caller-supplied id (reference/sms#own-ids); null = none. @throws `request_id already exists` */
  repeated(draft: DraftIdentity): Promise<AcceptedCampaign | null> {
    return this.earlier.repeated(draft);
  }

  /** The credits may have been spent by a concurrent copy of the same request. */
  private async spentByItself(draft: DraftIdentity, refusal: Error): Promise<AcceptedCampaign> {
    const repeated = refusal instanceof InsufficientCredits ? await this.repeated(draft) : null;
    if (!repeated) throw refusal;
    return repeated;
  }

  /** Writes the recipients first, and removes them if the campaign is not stored. */
  private async commitLarge(draft: DraftHead, recipients: DraftRecipients, committing: Committing): Promise<Answer> {
    const { total, sum, largeDraft } = recipients;
    const available = largeDraft?.shortOf ?? (await this.credits.available(draft.accountId, draft.balance));
    if (sum.charged > available) return { refused: new InsufficientCredits(available, sum.charged) };
    const rows = largeDraft?.rows ?? this.largeDrafts.open();
    try {
      const writtenId = await this.largeDrafts.write(draft, recipients, rows);
      const answer = await this.commitOne({ draft, total, sum, page: null, writtenId, ...committing });
      if ('accepted' in answer && answer.accepted.id === writtenId) rows.keep();
      return answer;
    } finally {
      await rows.abandon();
    }
  }

  private async commitOne(waiting: WaitingDraft): Promise<Answer> {
    return (await this.commit([waiting]))[0] as Answer;
  }

  /** Never throws: if one half of a group has committed, its answers stay valid whatever happens to the other half. */
  private async commit(waiting: readonly WaitingDraft[]): Promise<Answer[]> {
    const answers = new Map<WaitingDraft, Answer>();
    const unanswered = new Error('a draft has no answer');
    const fault = await this.answerAll(waiting, answers).then(
      () => unanswered,
      (error: unknown) => (error instanceof Error ? error : unanswered),
    );
    return waiting.map((each) => answers.get(each) ?? { refused: fault });
  }

  /**
   * One transaction for all; if a balance falls short, once more with all balances read. Taken ids and keys get the stored
   * answer, the others retry with new ids; other conflicts split the group. Fills `answers` also up to a fault.
   */
  private async answerAll(waiting: readonly WaitingDraft[], answers: Map<WaitingDraft, Answer>): Promise<void> {
    const record = (drafts: readonly WaitingDraft[], made: readonly (Answer | null)[]): void =>
      drafts.forEach((each, index) => {
        const answer = made[index];
        if (answer) answers.set(each, answer);
      });
    for (let tries = 1, readsAll = false; answers.size < waiting.length; tries++) {
      const left = waiting.filter((each) => !answers.has(each));
      const going = oncePerId(left);
      try {
        record(going, await this.attempt(going, readsAll));
      } catch (error) {
        if (isOverdrawn(error) && !readsAll) {
          readsAll = true;
          continue;
        }
        const isTaken = isDuplicateKey(error);
        if (isTaken) {
          record(left, await this.earlier.taken(left));
          if (tries < MAX_TRIES || answers.size > waiting.length - left.length) continue;
        }
        if (!(isTaken || isOverdrawn(error) || error instanceof AppError)) throw error;
        if (going.length > 1) record(going, await this.inHalves(going));
        else if (error instanceof AppError)
          record(going, [{ refused: error }]); // thrown by a write of `alongside`
        else if (tries >= MAX_TRIES) throw error;
      }
    }
  }

  /** Halves in order: one bad draft costs a group of 64 six further transactions, not 64. */
  private async inHalves(waiting: readonly WaitingDraft[]): Promise<Answer[]> {
    const middle = Math.ceil(waiting.length / 2);
    return [...(await this.commit(waiting.slice(0, middle))), ...(await this.commit(waiting.slice(middle)))];
  }

  private async attempt(waiting: readonly WaitingDraft[], readsAll: boolean): Promise<Answer[]> {
    const refusals = await this.shortBalances.refusals(waiting, readsAll);
    const payable = waiting.filter((_, index) => !refusals[index]);
    const accepted = payable.length > 0 ? await this.storage.store(payable) : [];
    const answers = new Map(payable.map((entry, index) => [entry, accepted[index]]));
    return waiting.map((entry, index): Answer => {
      const refused = refusals[index];
      return refused ? { refused } : { accepted: answers.get(entry) as AcceptedCampaign };
    });
  }
}
