import { type Channel, CHAT_EVENT, CHAT_STATUS_LABELS } from '../../engine/index.js';
import { ATTACHMENTS } from './unofficial-broadcast.js';

/**
 * Unofficial chat as the engine knows it: the text, then each attachment as an item of its own
 * (reference/unofficial-chat#items).
 */
export const unofficialChannel: Channel = {
  name: 'unofficial',
  event: CHAT_EVENT,
  campaignStatus: { accepted: 'Processing', sending: 'Processing' },
  statusLabels: CHAT_STATUS_LABELS,
  compose: (content) => ({
    text: String(content['message']),
    attachments: ATTACHMENTS.flatMap((field) => (typeof content[field] === 'string' ? [content[field]] : [])),
  }),
};
