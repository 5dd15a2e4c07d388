import type { CreditBook } from '../../credits/index.js';
import type { CampaignDraft } from './campaign-draft.js';
import type { RecipientPage } from './recipient-page.js';
import type { Stage } from './stage.js';

/** What the recipients of a send come to so far. */
interface SoFar {
  /** credits */
  charged: number;
  balance: CampaignDraft['balance'];
}

/** A large send whose recipients are written while the rest of them is judged, as long as its account can pay for them. */
export class Staging {
  private available: number | null = null;
  private isShort = false;

  constructor(
    readonly stage: Stage,
    private readonly accountId: number,
    private readonly credits: Pick<CreditBook, 'available'>,
  ) {}

  /** Credits that the account had when they did not suffice any more; null = they did. */
  get shortOf(): number | null {
    return this.isShort ? this.available : null;
  }

  /** Takes the next page, after those before; comes back when there is room for another. */
  async take(page: RecipientPage, { charged, balance }: SoFar): Promise<void> {
    this.available ??= await this.credits.available(this.accountId, balance);
    this.isShort ||= charged > this.available;
    if (!this.isShort) await this.stage.add(page);
  }

  /** Removes what was written, if no campaign has come of it. */
  abandon(): Promise<void> {
    return this.stage.abandon();
  }
}
