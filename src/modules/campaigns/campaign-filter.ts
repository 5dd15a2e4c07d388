import { now, readBound } from '../../kernel/clock.js';
import { type DocumentedError, fieldErrors } from '../../kernel/errors.js';
import { cutCodePoints, readText, readWord, textOrNull } from '../../kernel/text.js';
import { CHANNEL_NAMES } from '../channels/index.js';
import { CAMPAIGN_STATES } from '../engine/index.js';
import { SCHEDULED } from './campaigns.dto.js';
import type { ListCampaignsQuery } from './campaigns.queries.js';

type Filter = ListCampaignsQuery['filter'];

export const LISTED_STATES = ['pending_approval', SCHEDULED, ...CAMPAIGN_STATES.slice(1)] as const;
export const STATE_DESCRIPTION = `${SCHEDULED}: accepted, to begin at a later moment; they are among \`accepted\` too`;
export const ROUTE_DESCRIPTION = 'name of the route that it was accepted for';
const LONGEST_SEARCH = 255;
export const SEARCH_DESCRIPTION =
  'part of broadcast_name or request_id, in any case, looked for in the 10,000 newest of the filter; next_cursor goes on behind them. A whole request_id is found at once';
const LAST_MOMENT = Date.UTC(9999, 11, 31);

export const RANGE_ERRORS: readonly DocumentedError[] = [
  fieldErrors.invalid.shown('from').because('neither YYYY-MM-DD, YYYY-MM-DD HH:MM:SS nor ISO 8601'),
  fieldErrors.invalid.shown('to').because('the same'),
];

export const FILTER_ERRORS: readonly DocumentedError[] = [
  fieldErrors.noWord.shown('state', LISTED_STATES).because('another word'),
  fieldErrors.noWord.shown('channel', CHANNEL_NAMES).because('another word'),
  ...RANGE_ERRORS,
];

/** Parses one end of a time range; a bare date covers the whole day in `zone`. @throws AppError invalid `<name> is invalid` */
export function readRangeEnd(query: Record<string, unknown>, name: 'from' | 'to', zone: string): Date | undefined {
  const read = readText(query[name]);
  if (read.kind === 'empty') return undefined;
  const moment = read.kind === 'text' ? readBound(read.value.trim(), zone, name === 'from' ? 'start' : 'end') : null;
  if (!moment || moment.getTime() > LAST_MOMENT) throw fieldErrors.invalid(name);
  return new Date(Math.max(0, moment.getTime()));
}

/** Parses the campaign filters of a query; empty values do not filter. @throws AppError invalid for the first invalid value */
export function readCampaignFilter(query: Record<string, unknown>, zone: string, channels: readonly string[]): Filter {
  const state = readWord(query['state'], LISTED_STATES, () => fieldErrors.noWord('state', LISTED_STATES));
  const channel = readWord(query['channel'], channels, () => fieldErrors.noWord('channel', channels));
  const from = readRangeEnd(query, 'from', zone);
  const to = readRangeEnd(query, 'to', zone);
  const search = readText(query['search']);
  const route = textOrNull(query['route']);
  return {
    ...(state && (state === SCHEDULED ? { state: 'accepted', scheduledAfter: now() } : { state })),
    ...(route !== null && { route }),
    ...(channel && { channel }),
    ...(from && { from }),
    ...(to && { to }),
    ...(search.kind === 'text' && { search: cutCodePoints(search.value.trim(), LONGEST_SEARCH) }),
  };
}
