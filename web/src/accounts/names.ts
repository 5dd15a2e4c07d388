import type { Schema } from '../api/client.js';

export type Balance = Schema<'BalanceAnswer'>['balance'];

/** Balances by their name in the API, in the order in which they are shown. */
export const BALANCES: readonly (readonly [Balance, string])[] = [
  ['gsm_credits', 'SMS'],
  ['bulk_chat_credits', 'Unofficial chat'],
  ['voice_credits', 'Voice'],
  ['chat_marketing_credits', 'Chat, marketing'],
  ['chat_utility_credits', 'Chat, utility'],
  ['chat_auth_credits', 'Chat, authentication'],
];

const LABELS: ReadonlyMap<string, string> = new Map(BALANCES);

export const balanceLabel = (balance: string): string => LABELS.get(balance) ?? balance;

/** `api_key.revoke` → `Api key: revoke` */
export function actionLabel(action: string): string {
  const text = action.replace('.', ': ').replaceAll('_', ' ').replace(/^api /, 'API ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Details of a log entry in a line. */
export function detailsText(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(
      ([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(', ');
}

/** Address of the page of an account. */
export const accountPath = (username: string): string => `/accounts/${encodeURIComponent(username)}`;

/** Address of the page of a campaign. */
export const campaignPath = (requestId: string): string => `/campaigns/${encodeURIComponent(requestId)}`;
