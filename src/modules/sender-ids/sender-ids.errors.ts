import { conflict, type DefinedError, invalid, notFound, atMost, fieldErrors } from '../../kernel/errors.js';
import {
  LONGEST_REASON,
  LONGEST_USE_CASE,
  SENDER_CHANNELS,
  SENDER_STATUSES,
  type SenderFault,
  type SenderStatus,
  VALIDITY_SECONDS,
} from './sender-id.js';

/** Errors of sends (reference/sender-ids#sends). */
export const senderErrors = {
  notApproved: invalid(
    'sender_not_approved',
    'sender_id is not approved',
    'not one of the approved sender ids of the account for the channel',
  ).with({
    field: 'sender_id',
    hint: '`GET /v6/api/sender-ids` shows what is approved for which channel; register one by POST there and wait for staff.',
  }),
  dltTemplateId: invalid('dlt_template_id', 'dlt_template_id must be 1 to 30 digits', 'something else').with({
    field: 'dlt_template_id',
    hint: 'It is the id that the DLT registry gave the text.',
  }),
  validity: invalid(
    'validity_s',
    fieldErrors.noWholeNumber.shown('validity_s', VALIDITY_SECONDS.from, VALIDITY_SECONDS.to).text,
    'something else',
  ).with({ field: 'validity_s' }),
  dltTemplateRequired: invalid(
    'dlt_template_required',
    'dlt_template_id is required',
    'a route of the send asks for it, and none was given',
  ).with({
    field: 'dlt_template_id',
    hint: 'The carrier checks texts against a DLT registry: give the id under which this text is registered.',
  }),
  dltEntityRequired: invalid(
    'dlt_entity_required',
    'sender_id with a dlt_entity_id is required',
    'a route of the send asks for it, and neither the sender id nor the route has one',
  ).with({
    field: 'sender_id',
    hint: 'The carrier checks senders against a DLT registry: register the sender id with its `dlt_entity_id`.',
  }),
};

/** Faults of a registration, in the order of validation. */
export const senderFaults: Readonly<Record<SenderFault, DefinedError>> = {
  senderRequired: invalid('sender_id_required', fieldErrors.required.shown('sender_id').text, 'missing or empty').with({
    field: 'sender_id',
  }),
  channel: invalid('sender_channel', fieldErrors.noWord.shown('channel', SENDER_CHANNELS).text, 'another word').with({
    field: 'channel',
  }),
  senderForm: invalid(
    'sender_id_form',
    'sender_id must be 3 to 11 letters and digits or 5 to 15 digits',
    'neither a name nor a number',
  ).with({ field: 'sender_id' }),
  callerForm: invalid('caller_id_form', 'sender_id must be 5 to 15 digits', 'on voice: no number').with({
    field: 'sender_id',
  }),
  dltEntityId: invalid('dlt_entity_id', 'dlt_entity_id must be 1 to 30 digits', 'something else').with({
    field: 'dlt_entity_id',
    hint: 'It is the id that the DLT registry gave the company.',
  }),
  useCase: invalid('use_case', fieldErrors.invalid.shown('use_case').text, 'no text').with({ field: 'use_case' }),
  useCaseTooLong: invalid(
    'use_case_too_long',
    fieldErrors.tooLong.shown('use_case', LONGEST_USE_CASE).text,
    'too long',
  ).with({ field: 'use_case' }),
};

/** Errors of sender ids (reference/sender-ids#register). */
export const senderIdErrors = {
  notFound: notFound('sender_id_unknown', 'Sender id not found', 'no sender id with that id for the caller'),
  taken: conflict('sender_id_exists', 'sender_id is already registered', 'pending or approved').with({
    field: 'sender_id',
    hint: '`GET /v6/api/sender-ids` shows it and its status.',
  }),
  tooMany: invalid('too_many_sender_ids', (most: number) => atMost(most, 'sender ids'), 'SENDER_IDS_PER_ACCOUNT')
    .with({ hint: 'Remove one that is no longer used.' })
    .shown(100),
  wrongState: conflict(
    'sender_id_state',
    (status: SenderStatus) => `Sender id is already ${status}`,
    'its state does not allow the move',
  ).shown('approved'),
  unknownStatus: invalid(
    'sender_id_status',
    fieldErrors.noWord.shown('status', SENDER_STATUSES).text,
    'another word',
  ).with({ field: 'status' }),
  reasonTooLong: invalid('reason_too_long', fieldErrors.tooLong.shown('reason', LONGEST_REASON).text, 'too long'),
};
