import { type UsageShare, UsageTally } from '../../credits/index.js';

/** First digits that tell every calling code, and how many of them there are. */
const CODE_DIGITS = 3;
const CODES = 10 ** CODE_DIGITS;
/** Below this, arrays cost more than they spare. */
const MANY = 500;

/** Adds up what usage is counted by: of a large campaign, for a recipient under its sender, with two additions. */
export class UsageBuckets {
  private readonly recipients: Uint32Array;
  private readonly credits: Float64Array;
  private readonly tally = new UsageTally();
  private readonly sender: string;
  private readonly size: number;

  /**
   * @param sender the campaign's; none = the route's
   * @param total recipients that there will be
   */
  constructor(sender: string | null | undefined, total: number) {
    this.sender = sender ?? '';
    this.size = total < MANY ? 0 : CODES;
    this.recipients = new Uint32Array(this.size);
    this.credits = new Float64Array(this.size);
  }

  /** @param sender of its own */
  add(number: string, credits: number, sender?: string): void {
    if (credits === 0) return;
    const place = sender === undefined && number.length >= CODE_DIGITS ? placeOf(number) : -1;
    if (place < 0 || place >= this.size) {
      this.tally.add(number, sender ?? this.sender, credits);
      return;
    }
    this.recipients[place] = Number(this.recipients[place]) + 1;
    this.credits[place] = Number(this.credits[place]) + credits;
  }

  /** One share of each calling code and sender. Asked once, when all are added. */
  shares(): UsageShare[] {
    for (const [place, recipients] of this.recipients.entries()) {
      if (recipients === 0) continue;
      const digits = String(place).padStart(CODE_DIGITS, '0');
      this.tally.add(digits, this.sender, Number(this.credits[place]), recipients);
    }
    return this.tally.shares;
  }
}

/** Out of range for what does not begin with digits. */
const placeOf = (number: string): number =>
  (number.charCodeAt(0) - 48) * 100 + (number.charCodeAt(1) - 48) * 10 + (number.charCodeAt(2) - 48);
