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
