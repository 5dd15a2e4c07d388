/** The numbers that an account may not write to. The suppressions module implements it; the engine asks before each window leaves. */
export abstract class StopList {
  /** @returns those of the numbers (digits) that stand on the account's list at this moment */
  abstract among(accountId: number, numbers: readonly string[]): Promise<ReadonlySet<string>>;
}
