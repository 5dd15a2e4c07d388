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
