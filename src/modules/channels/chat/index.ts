import { isGsmText, nonGsmCharacters } from '../../../kernel/gsm-alphabet.js';
import { codePoints } from '../../../kernel/text.js';
import { type Channel, type Price, RecipientStatus } from '../../engine/index.js';

type MessageQuote = Awaited<ReturnType<NonNullable<Channel['quote']>>>;

/** Statuses of chat channels (reference/engine#recipient-statuses). Unsettled sends count as pending. */
export const CHAT_STATUS_LABELS: Readonly<Record<RecipientStatus, string>> = {
  [RecipientStatus.Pending]: 'PENDING',
  [RecipientStatus.Unknown]: 'PENDING',
  [RecipientStatus.Submitted]: 'SENT',
  [RecipientStatus.Retrying]: 'SENT',
  [RecipientStatus.Delivered]: 'DELIVERED',
  [RecipientStatus.Read]: 'READ',
  [RecipientStatus.Failed]: 'FAILED',
  [RecipientStatus.Cancelled]: 'CANCELLED',
  [RecipientStatus.Answered]: 'DELIVERED',
  [RecipientStatus.NoAnswer]: 'FAILED',
  [RecipientStatus.Busy]: 'FAILED',
};

/** Webhook event of a chat status change (reference/webhooks#types). */
export const CHAT_EVENT = 'chat.status.update';

/** Chat messages are counted in code points and have one segment; the price does not depend on the text. */
export const chatQuote = (text: string, price: Price): MessageQuote => ({
  encoding: isGsmText(text) ? 'gsm7' : 'unicode',
  unicodeCharacters: nonGsmCharacters(text),
  length: codePoints(text),
  segments: 1,
  ...price,
});
