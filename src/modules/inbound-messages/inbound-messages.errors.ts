import { atMost, conflict, invalid, notFound } from '../../kernel/errors.js';

import { KEYWORDS_PER_NUMBER, NUMBERS_PER_ACCOUNT } from './numbers/inbound-numbers.store.js';

export const inboundErrors = {
  notFound: notFound('inbound_message_unknown', 'Inbound message not found', 'or it belongs to another account').with({
    hint: 'GET /v6/api/inbound-messages lists those of the account; they are kept for INBOUND_DAYS.',
  }),
  unanswerable: conflict(
    'inbound_message_unanswerable',
    'This sender cannot be answered',
    'a name, a short code, or an address of more than 20 digits',
  ).with({ hint: 'Only numbers of 8 to 20 digits receive messages.' }),
  assigned: conflict('inbound_message_assigned', 'Inbound message is already assigned', 'an account has it').with({
    hint: 'Only messages of the inbox of the operator can be assigned.',
  }),
  numberTaken: conflict(
    'inbound_number_taken',
    'Inbound number already exists',
    'on this route, with this keyword',
  ).with({
    field: 'number',
    hint: 'Remove the other one first, or add a keyword.',
  }),
  tooManyNumbers: invalid(
    'too_many_inbound_numbers',
    atMost(NUMBERS_PER_ACCOUNT, 'inbound numbers'),
    'of one account',
  ).with({
    field: 'number',
    hint: 'Remove inbound numbers that are no longer used.',
  }),
  tooManyWords: invalid(
    'too_many_inbound_keywords',
    atMost(KEYWORDS_PER_NUMBER, 'keywords of a number'),
    'on all routes',
  ).with({
    field: 'keyword',
    hint: 'Remove inbound numbers that are no longer used.',
  }),
  numberNotFound: notFound('inbound_number_unknown', 'Inbound number not found').with({
    hint: 'GET /v6/api/admin/inbound-numbers lists them.',
  }),
};
