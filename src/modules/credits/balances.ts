import { callingCodeOf } from '../numbers/index.js';

/** The six balances of an account; the admin API and the ledger use these names (reference/credits#balances). */
export const BALANCES = [
  'bulk_chat_credits',
  'gsm_credits',
  'voice_credits',
  'chat_marketing_credits',
  'chat_utility_credits',
  'chat_auth_credits',
] as const;

export type BalanceName = (typeof BALANCES)[number];

/** Kinds of ledger entries: debits and take-backs are negative, grants and refunds positive (reference/credits#ledger). */
export type LedgerKind = 'grant' | 'debit' | 'refund' | 'take_back';

export const isBalanceName = (name: unknown): name is BalanceName =>
  typeof name === 'string' && (BALANCES as readonly string[]).includes(name);

/** One balance of one account. */
export interface Purse {
  accountId: number;
  balance: BalanceName;
}

export const purseKey = ({ accountId, balance }: Purse): string => `${accountId} ${balance}`;

/** Recipients and credits of one calling code and sender. */
export interface UsageShare {
  /** calling code; '' = unknown */
  prefix: string;
  /** sender id; '' = the route's own */
  sender: string;
  /** without free recipients */
  recipients: number;
  credits: number;
}

/** The shares must sum to the amount. */
export interface Usage {
  channel: string;
  shares: readonly UsageShare[];
}

/** @throws RangeError when the shares do not sum to the amount */
export function assertShares(amount: number, { shares }: Usage): void {
  let sum = 0;
  for (const { recipients, credits } of shares) {
    if (!Number.isSafeInteger(recipients) || recipients < 0 || !Number.isSafeInteger(credits) || credits < 0) {
      throw new RangeError(`Not a share of usage: ${recipients} recipients, ${credits} credits`);
    }
    sum += credits;
  }
  if (sum !== amount) throw new RangeError(`Shares of ${sum} credits, where ${amount} move`);
}

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

/** A signed change of a balance, credits. */
export type Change = [accountId: number, balance: BalanceName, change: number];
