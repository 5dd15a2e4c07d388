export { CHAT_EVENT, CHAT_STATUS_LABELS, chatQuote } from './chat-channel.js';
