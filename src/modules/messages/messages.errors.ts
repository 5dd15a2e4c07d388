import { conflict, fieldErrors, invalid } from '../../kernel/errors.js';
import { REFS_KEPT_HOURS } from '../idempotency/index.js';

export const MESSAGE_CHANNELS = ['sms', 'template', 'session'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];

export const DIRECTIONS = ['inbound', 'outbound'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Longest `client_ref`, characters. */
export const LONGEST_REF = 64;
/** Most bytes of `metadata`, as JSON in UTF-8. */
export const MOST_METADATA = 1_024;

/** Errors of messages (reference/messages#errors) that no other endpoint has. */
export const messageErrors = {
  channel: fieldErrors.noWord.shown('channel', MESSAGE_CHANNELS),
  to: invalid('to_invalid', (reason: string) => `to ${reason}`, 'what the strict reader refuses; the text says why')
    .with({ field: 'to', hint: 'Write the number with + and its country code.' })
    .shown('has letters'),
  foreign: fieldErrors.foreign.shown('<field>', '<channel>').because('a field that the channel has no use for'),
  oneContent: invalid('message_content', 'Exactly one of text, content is required', 'session: none, or both').with({
    field: 'text',
    hint: 'Give the text of a message in `text`, any other kind in `content`.',
  }),
  clientRef: invalid(
    'client_ref_invalid',
    `client_ref must have 1 to ${LONGEST_REF} characters, without control characters`,
  ).with({ field: 'client_ref', hint: 'An id of your own, such as the number of the order.' }),
  metadata: invalid('metadata_invalid', 'metadata must be an object').with({ field: 'metadata' }),
  metadataTooLarge: invalid('metadata_too_large', 'metadata must be at most 1 KB', 'as JSON, in bytes').with({
    field: 'metadata',
    hint: 'Keep the data with you, and send its id.',
  }),
  refTaken: conflict(
    'client_ref_taken',
    'client_ref was used with another message',
    `in the last ${REFS_KEPT_HOURS} hours`,
  ).with({
    field: 'client_ref',
    hint: 'Use a new one for another message, and the very same body to repeat.',
  }),
  metadataRounded: invalid(
    'metadata_rounded',
    'metadata has a number that JSON rounds',
    'a whole number from 2^53 on, or with more digits than a double keeps',
  ).with({ field: 'metadata', hint: 'Write it as a text.' }),
  refRunning: conflict(
    'client_ref_running',
    'A message with this client_ref is still being accepted',
    'the first request is not answered yet, or its outcome is unknown',
  ).with({
    field: 'client_ref',
    hint: 'Ask again in a moment, with the same client_ref. If it stays so, the message may have left: GET /v6/api/messages shows it.',
  }),
  direction: fieldErrors.noWord.shown('direction', DIRECTIONS),
};
