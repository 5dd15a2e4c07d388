import { type DocumentedError, failed, invalid, notFound } from '../../kernel/errors.js';
import { readWord } from '../../kernel/text.js';
import { isHttpUrl } from '../../kernel/urls.js';
import type { FormerSecret } from './secrets.js';
import { type GraphAccount, phoneNumberIdOf } from './drivers/meta-cloud/config.js';

export { CHAT_PROVIDERS, type ChatProvider } from './drivers/meta-cloud/config.js';

export const CHAT_CONNECTIONS = ['official', 'branded'] as const;
export type ChatConnection = (typeof CHAT_CONNECTIONS)[number];

/** The connection that a request names; official by default (reference/business-profile#fields). @throws AppError `invalid` */
export function readChatConnection(value: unknown): ChatConnection {
  return readWord(value, CHAT_CONNECTIONS, chatAccountErrors.channel) ?? 'official';
}

/** A customer's account at the chat provider, with its secrets in plain text. */
export interface ChatAccount extends GraphAccount {
  /** the engine's `routeId`, and the last segment of `/provider/chat/:account_id` */
  id: number;
  accountId: number;
  connection: ChatConnection;
  number: string | null;
  /** any text that staff entered; may be no URL */
  url: string | null;
  token: string | null;
  appId: string | null;
  appSecret: string | null;
  verifyToken: string | null;
  formerAppSecret?: FormerSecret | null;
  formerVerifyToken?: FormerSecret | null;
  bmid: string | null;
  /** the provider's business account, required by its template API */
  wabaId: string | null;
  messagesPerSecond: number | null;
}

export interface UsableChatAccount extends ChatAccount {
  url: string;
  token: string;
  phoneNumberId: string;
}

/** The texts of reference/session-messages#connection-errors for an account that cannot send. */
export const chatAccountErrors = {
  channel: invalid('chat_channel', 'channel must be official or branded', 'another word'),
  notFound: notFound('chat_account_missing', 'No chat account found for this username', 'no connected chat account'),
  noPhoneNumberId: notFound(
    'phone_number_id_missing',
    'Missing phone-number ID for this chat account',
    'account set up incompletely',
  ),
  noToken: notFound('chat_token_missing', 'Missing account token for this chat account', 'account set up incompletely'),
  noEndpoint: failed(
    'chat_endpoint_unresolved',
    'Unable to resolve provider endpoint',
    'account set up with another provider or a URL that is none',
  ),
};

export const CONNECTION_ERRORS: readonly DocumentedError[] = [
  chatAccountErrors.noPhoneNumberId,
  chatAccountErrors.noToken,
  chatAccountErrors.noEndpoint,
];

/** @throws AppError the first fault of reference/session-messages#connection-errors; a malformed URL is the endpoint's fault */
export function usableAccount(account: ChatAccount | null): UsableChatAccount {
  if (!account) throw chatAccountErrors.notFound();
  const { url, token } = account;
  const phoneNumberId = phoneNumberIdOf(account);
  if (url === null || (phoneNumberId === null && isHttpUrl(url))) throw chatAccountErrors.noPhoneNumberId();
  if (token === null) throw chatAccountErrors.noToken();
  if (phoneNumberId === null || account.provider === 'other') throw chatAccountErrors.noEndpoint();
  return { ...account, url, token, phoneNumberId };
}

const MOST_ID = 4_294_967_295;

export function readAccountId(text: string): number | null {
  const id = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : null;
  return id !== null && id <= MOST_ID ? id : null;
}
