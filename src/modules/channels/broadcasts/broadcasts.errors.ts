import { type DefinedError, invalid } from '../../../kernel/define-error.js';
import { acceptanceErrors } from '../../engine/index.js';
import type { BroadcastFault } from './domain/broadcast.js';

/** Errors that both broadcasts share: the texts of reference/sms#addbroadcastgsmphp, literally. */
export const broadcastErrors = {
  fieldsRequired: invalid(
    'fields_required',
    'broadcast_name, brodcast_service, contacts, and message are required',
    'a required field is missing or empty',
  ).with({ hint: 'contacts is a non-empty array; the other three are texts that are not blank.' }),
  tooLong: invalid('message_too_long', 'Message is too long').with({
    field: 'message',
    hint: 'Shorten the text. `POST /v6/api/campaigns/quote` counts its length, and names the characters that make it Unicode.',
  }),
  contactLength: invalid(
    'contact_length',
    'Each contact number must be between 9 and 30 digits',
    'a contact is out of range after cleanup; the whole request fails',
  ).with({ field: 'contacts', hint: 'Write each number with its country code; all but digits is removed.' }),
  scheduleTime: acceptanceErrors.scheduleTime,
} satisfies Record<BroadcastFault, DefinedError>;
