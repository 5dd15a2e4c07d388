import { conflict, invalid, notFound, fieldErrors } from '../../kernel/errors.js';
import { tooManyContacts } from '../../kernel/contacts.js';
import type { CampaignState } from '../engine/index.js';

export const LONGEST_REASON = 500;

/** Errors of the campaigns API, literally as in reference/campaigns#changes. */
export const campaignErrors = {
  notFound: notFound('campaign_not_found', 'Campaign not found', 'none, or another account’s (staff see all)').with({
    field: 'request_id',
    hint: 'Give the request_id of the answer to the send; a program of another account does not see it.',
  }),
  contactNotFound: notFound('contact_not_found', 'Contact not found', 'no such seq in the campaign'),
  already: conflict(
    'wrong_state',
    (state: CampaignState) => `Campaign is already ${state}`,
    'its state does not allow it',
  ).shown('<state>'),
  reasonTooLong: invalid('reason_too_long', fieldErrors.tooLong.shown('reason', LONGEST_REASON).text, 'too long'),
  noneFailed: conflict(
    'none_failed',
    'Campaign has no failed recipients',
    'none but those that failed for good, have left or may have got it, or an earlier retry has them',
  ).with({
    hint: 'Only FAILED recipients are sent to again, each by one retry. `include` takes permanent and opt_out ones too.',
  }),
  include: invalid(
    'invalid_field',
    (kinds: readonly string[]) => `include must be a list of: ${kinds.join(', ')}`,
    'another word',
  ).with({ field: 'include' }),
};

/** Errors of a quote's fields, in validation order (reference/campaigns#quote). */
export const quoteErrors = {
  channel: invalid(
    'invalid_field',
    (names: readonly string[]) => fieldErrors.noWord.shown('channel', names).text,
    'another word',
  ).with({ field: 'channel' }),
  message: invalid('invalid_field', fieldErrors.required.shown('message').text, 'missing, empty, or no text').with({
    field: 'message',
  }),
  contacts: invalid('invalid_field', fieldErrors.emptyArray.shown('contacts').text, 'something else').with({
    field: 'contacts',
    hint: 'Give an array of numbers.',
  }),
  tooMany: tooManyContacts,
};
