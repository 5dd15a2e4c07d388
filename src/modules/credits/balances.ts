/**
 * The six balances of an account (reference/credits#balances). The names are public: the admin API and the ledger carry
 * them.
 */
export const BALANCES = [
  'bulk_chat_credits',
  'gsm_credits',
  'voice_credits',
  'chat_marketing_credits',
  'chat_utility_credits',
  'chat_auth_credits',
] as const;

export type BalanceName = (typeof BALANCES)[number];

/**
 * What a ledger entry records (reference/credits#ledger): debits and take-backs are negative, grants and refunds
 * positive.
 */
export type LedgerKind = 'grant' | 'debit' | 'refund' | 'take_back';

/** True for one of the six names. */
export const isBalanceName = (name: unknown): name is BalanceName =>
  typeof name === 'string' && (BALANCES as readonly string[]).includes(name);

/** One balance of one account. */
export interface Purse {
  accountId: number;
  balance: BalanceName;
}

/** One text a balance, for maps. */
export const purseKey = ({ accountId, balance }: Purse): string => `${accountId} ${balance}`;

/** Recipients of one calling code and sender, and what they cost or get back together. */
export interface UsageShare {
  /** calling code of the numbers; '' = none is known */
  prefix: string;
  /** sender id; '' = the route's own */
  sender: string;
  /** those that cost something */
  recipients: number;
  credits: number;
}

/** What an amount is for: its shares come to the amount. */
export interface Usage {
  channel: string;
  shares: readonly UsageShare[];
}

/** @throws RangeError when the shares come to anything else than the amount */
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
