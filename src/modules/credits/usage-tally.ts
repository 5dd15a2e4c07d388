import { callingCodeOf } from '../numbers/index.js';
import type { UsageShare } from './balances.js';

/** A calling code is told by so many digits at most. */
const CODE_DIGITS = 3;

type Sum = Pick<UsageShare, 'recipients' | 'credits'>;

/** Adds up what recipients cost or get back, by what usage is counted by. Asked for each of a million recipients. */
export class UsageTally {
  /** by sender, then by the first digits of the number */
  private readonly sums = new Map<string, Map<string, Sum>>();

  /**
   * @param number digits of the recipient, the first three at least
   * @param sender its sender id; '' = the route's own
   * @param credits of all of them together; who is free is not counted
   * @param recipients so many, whose numbers begin alike
   */
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

  /** One share of each calling code and sender. */
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
