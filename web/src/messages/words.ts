import type { Schema } from '../api/client.js';
import type { Search } from '../app/page-definition.js';
import { channelTitle } from '../campaigns/words.js';

export type Message = Schema<'MessageData'>;

export const DIRECTIONS = { outbound: 'Sent', inbound: 'Received' } as const;

export const channelOf = ({ channel }: Message): string => (channel === 'session' ? 'Session' : channelTitle(channel));

/** The number of the contact; null where the API knows none. */
export const numberOf = ({ direction, from, to }: Message): string | null => (direction === 'outbound' ? to : from);

/** The page that shows more about a message; null for a received chat message. */
export function placeOf({ id, direction, from, request_id: requestId }: Message): {
  to: string;
  search?: Search;
  text: string;
} | null {
  const [kind, first = '', seq = ''] = id.split('_');
  if (requestId !== null) {
    return {
      to: `/campaigns/${encodeURIComponent(requestId)}`,
      search: { contact: seq },
      text: 'Timeline in its campaign',
    };
  }
  if (kind === 'ses') return { to: `/session-messages/${first}`, text: 'Session message' };
  if (direction === 'inbound' && kind === 'in') {
    return { to: '/inbound-messages', search: { from: from ?? '' }, text: 'Inbound messages of this number' };
  }
  return null;
}
