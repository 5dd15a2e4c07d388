import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { conflict } from '../../../kernel/define-error.js';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import { newId } from '../../../kernel/ids.js';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { RelayNotifier } from '../../../platform/queues/index.js';
import type { Alongside } from '../../idempotency/index.js';
import { type BalanceName, CreditBook, creditErrors } from '../../credits/index.js';
import { acceptanceErrors } from './acceptance.errors.js';
import { type AcceptedCampaign, type CampaignDraft, CampaignWriter, type NumberedDraft } from './campaign-writer.js';

/**
 * The balance does not pay for the campaign; a channel with a text of its own for it throws that instead
 * (reference/credits#debits).
 */
export class InsufficientCredits extends AppError {
  constructor(
    readonly available: number,
    readonly required: number,
  ) {
    const { kind, code, message } = creditErrors.insufficient(available, required);
    super(kind, code, message);
  }
}

/** Thrown inside the transaction to roll all of it back: another transaction spent the credits since they were read. */
export class Outspent extends Error {}

/** A draft with the further writes of its transaction. */
type WaitingDraft = CampaignDraft & { alongside?: Alongside<AcceptedCampaign> };
/** Code of the conflict with another account's id; its text is that of every such conflict. */
export const FOREIGN_REQUEST_ID = 'request_id_foreign';
/** What says whether a draft came before. */
export type DraftIdentity = Pick<CampaignDraft, 'accountId' | 'requestId' | 'fingerprint'>;
/** The campaign that a caller-supplied id names already. */
type EarlierCampaign = Omit<AcceptedCampaign, 'repeated'> & { accountId: number; fingerprint: Buffer | null };
type Answer = { accepted: AcceptedCampaign } | { refused: AppError };

type Numbered = NumberedDraft & { draft: WaitingDraft };

/** Larger drafts get a transaction of their own, so that small requests of the same account do not wait behind their rows. */
const GROUPED_RECIPIENTS = 1_000;
const GROUP = { maxItems: 64, delayMs: 0 };
const ROUNDS = 6;

/** The one door into the engine: everything of a campaign, or nothing, in one transaction. */
@Injectable()
export class CampaignAcceptance {
  private readonly groups = new Map<string, GroupCommit<WaitingDraft, Answer>>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly credits: CreditBook,
    private readonly writer: CampaignWriter,
    private readonly relay: RelayNotifier,
  ) {}

  /**
   * Debits the credits and stores the campaign with all its recipients; after the commit the relay hears of it.
   * Requests of one account that wait at the same moment share a transaction.
   * @param alongside further writes of the same transaction; what it throws rolls the campaign back
   * @throws AppError invalid `Insufficient credits. Available: X, Required: Y`; conflict `request_id already exists`
   */
  async accept(wanted: CampaignDraft, alongside?: Alongside<AcceptedCampaign>): Promise<AcceptedCampaign> {
    const draft: WaitingDraft = alongside ? { ...wanted, alongside } : wanted;
    const repeated = await this.repeated(draft);
    if (repeated) return repeated;
    const answer =
      draft.recipients.length > GROUPED_RECIPIENTS
        ? (await this.commit([draft]))[0]
        : await this.group(draft).add(draft);
    if (!answer) throw new Error('a draft was left without an answer');
    if ('refused' in answer) throw answer.refused;
    const { channel, routeId, recipients, initialState, scheduledAt } = draft;
    if (initialState === 'accepted' && !scheduledAt) {
      this.relay.notify([{ channel, routeId, single: recipients.length === 1 }]);
    }
    return answer.accepted;
  }

  /**
   * The first answer again, for the same request under a caller-supplied id (reference/sms#own-ids); null = it is the
   * first.
   * @throws AppError conflict `request_id already exists`
   */
  async repeated(draft: DraftIdentity): Promise<AcceptedCampaign | null> {
    if ('make' in draft.requestId) return null;
    const rows: EarlierCampaign[] = await this.dataSource.query(
      `SELECT id, account_id AS accountId, request_id AS requestId, total_rows AS totalRows,
         unit_credits AS unitCredits, fingerprint FROM campaigns WHERE request_id = ?`,
      [draft.requestId.given],
    );
    const found = rows[0];
    if (!found) return null;
    const { accountId, fingerprint, ...earlier } = found;
    if (accountId !== draft.accountId) throw takenError(FOREIGN_REQUEST_ID);
    if (!draft.fingerprint?.equals(fingerprint ?? Buffer.alloc(0))) throw takenError('request_id_exists');
    return { ...earlier, repeated: true };
  }

  /** The id was taken between the look and the commit: a caller's id answers or refuses, a generated one is made again. */
  private async takenId(draft: CampaignDraft): Promise<Answer | null> {
    try {
      const accepted = await this.repeated(draft);
      return accepted ? { accepted } : null;
    } catch (error) {
      if (error instanceof AppError) return { refused: error };
      throw error;
    }
  }

  private group(draft: WaitingDraft): GroupCommit<WaitingDraft, Answer> {
    const key = `${draft.accountId} ${draft.balance}`;
    let group = this.groups.get(key);
    if (!group) {
      group = new GroupCommit((drafts) => this.commit(drafts), GROUP);
      this.groups.set(key, group);
      if (this.groups.size > 1_000) {
        for (const [name, other] of this.groups) if (!other.busy && other !== group) this.groups.delete(name);
      }
    }
    return group;
  }

  /** One transaction for drafts of one account and balance. A lost race for credits or ids runs it again from the start. */
  private async commit(drafts: WaitingDraft[]): Promise<Answer[]> {
    for (let round = 1; ; round++) {
      try {
        return await this.attempt(drafts);
      } catch (error) {
        const lost = error instanceof Outspent || isDuplicateKey(error) || error instanceof AppError;
        if (!lost) throw error;
        if (drafts.length > 1) return this.oneByOne(drafts);
        if (error instanceof AppError) return [{ refused: error }]; // by what was to be written alongside
        if (isDuplicateKey(error)) {
          const answer = await this.takenId(drafts[0] as CampaignDraft);
          if (answer) return [answer];
        }
        if (round >= ROUNDS) throw error;
      }
    }
  }

  /** A group that lost a race: each draft by itself, in order, so that one conflict refuses one request. */
  private async oneByOne(drafts: WaitingDraft[]): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (const draft of drafts) answers.push(...(await this.commit([draft])));
    return answers;
  }

  private async attempt(drafts: WaitingDraft[]): Promise<Answer[]> {
    const first = drafts[0] as WaitingDraft;
    const { balance } = first;
    // An unlocked read refuses the poor cheaply; the conditional UPDATE in `debit` stays the judge.
    let available = await this.credits.available(first.accountId, balance);
    const numbered: Numbered[] = [];
    const answers = drafts.map((draft): Answer => {
      const required = draft.unitCredits * draft.recipients.length;
      if (required > available) return { refused: new InsufficientCredits(available, required) };
      available -= required;
      const entry = {
        id: newId(),
        requestId: 'given' in draft.requestId ? draft.requestId.given : draft.requestId.make(),
        draft,
      };
      numbered.push(entry);
      return { accepted: acceptedOf(entry) };
    });
    if (numbered.length > 0) await this.write(first.accountId, balance, numbered);
    return answers;
  }

  private async write(accountId: number, balance: BalanceName, numbered: Numbered[]): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.writer.insert(tx, numbered);
      for (const entry of numbered) await entry.draft.alongside?.(tx, acceptedOf(entry));
      // Last before the commit: the balance row is locked for two round trips only.
      const entries = numbered.map(({ requestId, draft }) => ({
        requestId,
        amount: draft.unitCredits * draft.recipients.length,
      }));
      if (!(await this.credits.debit(tx, accountId, balance, entries))) throw new Outspent();
    });
  }
}

const takenError = (code: string): AppError => conflict(code, acceptanceErrors.requestIdTaken.text)();

const acceptedOf = ({ id, requestId, draft }: Numbered): AcceptedCampaign => ({
  id,
  requestId,
  totalRows: draft.recipients.length,
  unitCredits: draft.unitCredits,
  repeated: false,
});
