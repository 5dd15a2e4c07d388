import { failed, invalid, notFound } from '../../kernel/errors.js';

const NOT_FOUND = 'Report not found';

/** Errors of delivery reports (reference/delivery-reports#getgsmreportphp), literal texts. */
export const reportErrors = {
  requestIdRequired: invalid('request_id_required', 'request_id is required', 'no identifier or alias given'),
  notFound: notFound('report_not_found', NOT_FOUND).with({
    hint: 'Give the request_id of the answer to the send. A report may need the token of its account.',
  }),
  /** depends on the form of the id only, whether the campaign exists or not */
  voiceId: notFound('report_of_voice_id', NOT_FOUND, 'the id has the form of a voice campaign’s').with({
    field: 'request_id',
    hint: 'This is the id of a voice campaign: ask GET /v6/api/voice/report.',
  }),
  smsId: notFound('report_of_sms_id', NOT_FOUND, 'the id has the form of an SMS broadcast’s').with({
    field: 'request_id',
    hint: 'This is the id of an SMS broadcast: ask /webhook/api/getGSMreport.php.',
  }),
  chatId: notFound('report_of_chat_id', NOT_FOUND, 'the id has the form of a chat campaign’s').with({
    field: 'request_id',
    hint: 'This is the id of a chat campaign: ask GET /v6/api/campaigns/{request_id}/contacts.',
  }),
  reportQuery: failed('report_query', 'Failed to prepare report query', 'server error').with({
    hint: 'The fault is ours: try again in a moment.',
  }),
  detailsQuery: failed('details_query', 'Failed to prepare delivery details query', 'server error').with({
    hint: 'The fault is ours: try again in a moment.',
  }),
};
