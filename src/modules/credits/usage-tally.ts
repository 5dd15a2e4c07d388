import { callingCodeOf } from '../numbers/index.js';
import type { UsageShare } from './balances.js';

/** A calling code has at most 3 digits. */
const CODE_DIGITS = 3;

type Sum = Pick<UsageShare, 'recipients' | 'credits'>;

/** Sums recipients and credits by calling code and sender; called for each of up to a million recipients. */
export class UsageTally {
  private readonly sums = new Map<string, Map<string, Sum>>();

  /** Adds recipients whose `number` shares at least three digits; `credits` is their total; skips free ones. */
  add(number: string, sender: string, credits: number, recipients = 1): void {
    if (credits === 0) return;
    const ofSender = this.of(sender);
    const digits = number.slice(0, CODE_DIGITS);
    const known = ofSender.get(digits);
    if (known) {
      known.recipients += recipients;
      known.credits += credits;
    } else ofSender.set(digits, { recipients, credits });
  }

  get shares(): UsageShare[] {
    return [...this.sums].flatMap(([sender, byDigits]) => {
      const shares = new Map<string, UsageShare>();
      for (const [digits, { recipients, credits }] of byDigits) {
        const prefix = callingCodeOf(digits);
        const known = shares.get(prefix) ?? { prefix, sender, recipients: 0, credits: 0 };
        shares.set(prefix, {
          ...known,
          recipients: known.recipients + recipients,
          credits: known.credits + credits,
        });
      }
      return [...shares.values()];
    });
  }

  private of(sender: string): Map<string, Sum> {
    const known = this.sums.get(sender);
    if (known) return known;
    const made = new Map<string, Sum>();
    this.sums.set(sender, made);
    return made;
  }
}
