import { type DocumentedError, invalid, fieldErrors } from '../../../kernel/errors.js';
import { tooMany } from '../../../platform/security/index.js';
import { acceptanceErrors } from '../../engine/index.js';
import { numbersInvalid, type NumberReason } from '../../numbers/index.js';
import { chatAccountErrors, CONNECTION_ERRORS } from '../../providers/index.js';
import { listErrors, uploadErrors } from '../../recipient-lists/index.js';
import { senderErrors } from '../../sender-ids/index.js';
import { templateSendErrors } from '../../templates/index.js';
import { broadcastErrors } from '../broadcasts/index.js';
import { personalisedErrors } from '../personalised/index.js';
import { templateRequestErrors } from '../template-messages/index.js';
import { attachmentErrors } from '../unofficial-chat/index.js';

/** Channels of a personalised send, in the order shown to clients. */
export const BULK_CHANNEL_NAMES = ['sms', 'unofficial', 'template', 'branded'] as const;
export type BulkChannelName = (typeof BULK_CHANNEL_NAMES)[number];

export const RECIPIENT_FIELDS = ['recipients', 'contacts', 'upload_id', 'list_id'] as const;
export type RecipientField = (typeof RECIPIENT_FIELDS)[number];

/** Most recipients of one request; uploads and lists hold more. */
export const MOST_IN_BODY = 100_000;
/** Longest text before its placeholders are filled in, characters. */
export const LONGEST_TEXT = 5_000;

/** Errors of personalised sends (reference/bulk#errors), in checking order. */
export const bulkErrors = {
  channel: fieldErrors.noWord.shown('channel', BULK_CHANNEL_NAMES),
  foreign: fieldErrors.foreign.shown('<field>', '<channel>').because('a field that the channel has no use for'),
  name: fieldErrors.required.shown('broadcast_name'),
  oneField: invalid(
    'recipients_of_one_field',
    `Exactly one of ${RECIPIENT_FIELDS.join(', ')} is required`,
    'none, or several',
  ).with({ hint: 'Name the recipients once.' }),
  flatten: fieldErrors.noFlag.shown('flatten').because('template and branded'),
  message: fieldErrors.required.shown('message').because('sms and unofficial'),
  messageTooLong: fieldErrors.tooLong.shown('message', LONGEST_TEXT).because('before it is filled in'),
  route: fieldErrors.invalid.shown('route').because('no text'),
  category: fieldErrors.invalid.shown('category').because('no word of a-z, 0-9, _ and -, 32 characters at most'),
  list: fieldErrors.emptyArray.shown('recipients').because('likewise contacts'),
  tooMany: fieldErrors.tooMany
    .shown('recipients', MOST_IN_BODY)
    .because('an upload or a list takes more')
    .with({ hint: 'Upload a file (`POST /v6/api/uploads`) or keep a list: they hold more.' }),
  id: fieldErrors.invalid.shown('upload_id').because('likewise list_id: not an id'),
  rows: invalid(
    'recipients_invalid',
    'Some recipients are invalid',
    'no number that the channel takes, or variables that are none; `errors` names the rows',
  ).with({ hint: '`errors` names the rows and what is wrong with each; mend or leave them out. Nothing was charged.' }),
  numbers: numbersInvalid,
  number: invalid('number_invalid', (reason: NumberReason) => `number is invalid: ${reason}`, 'of one row'),
  refused: invalid('recipients_refused', 'Some recipients cannot be sent to', '`errors` names the rows, and why').with({
    hint: '`errors` names the rows and why; mend or leave them out. Nothing was charged.',
  }),
};

const template = templateRequestErrors;

const REQUEST_ERRORS: readonly DocumentedError[] = [
  bulkErrors.channel,
  bulkErrors.foreign,
  bulkErrors.name,
  bulkErrors.oneField,
  template.template,
  template.name,
  template.language,
  template.components,
  template.componentsTooLarge,
  bulkErrors.flatten,
  bulkErrors.message,
  bulkErrors.messageTooLong,
  personalisedErrors.placeholder.shown('message', '<place>'),
  personalisedErrors.tooMany.shown('message'),
  senderErrors.dltTemplateId,
  senderErrors.validity,
  ...Object.values(attachmentErrors),
  fieldErrors.noFlag.shown('remove_duplicates').because('likewise skip_invalid'),
  bulkErrors.route,
  bulkErrors.category,
  acceptanceErrors.scheduleTime,
  acceptanceErrors.schedulePast,
  acceptanceErrors.late,
  acceptanceErrors.lateAfter,
  acceptanceErrors.lateAlone,
  bulkErrors.list,
  bulkErrors.tooMany,
  bulkErrors.id,
];

const NAMED_ERRORS: readonly DocumentedError[] = [
  bulkErrors.rows,
  ...Object.values(templateSendErrors),
  senderErrors.notApproved,
  broadcastErrors.tooLong.because(
    'as the channel’s own send would say; where only some texts are, `errors` names the rows',
  ),
  uploadErrors.notFound,
  listErrors.notFound,
  listErrors.changing,
  listErrors.empty,
  listErrors.unreadable,
];

/** A quote reports faulty recipients instead of refusing them, and uses no route. */
export const BULK_QUOTE_ERRORS: readonly DocumentedError[] = [
  ...REQUEST_ERRORS,
  tooMany.because('too many of the account’s quotes of uploads and lists are under way'),
  ...NAMED_ERRORS,
];

export const BULK_ERRORS: readonly DocumentedError[] = [
  ...REQUEST_ERRORS,
  ...NAMED_ERRORS,
  chatAccountErrors.notFound.because('template and branded'),
  ...CONNECTION_ERRORS,
  acceptanceErrors.noRoute,
  acceptanceErrors.tooManyChains,
  senderErrors.dltTemplateRequired,
  senderErrors.dltEntityRequired,
  personalisedErrors.missing,
  acceptanceErrors.variablesTooLong,
  personalisedErrors.empty,
  bulkErrors.numbers,
  bulkErrors.refused,
];
