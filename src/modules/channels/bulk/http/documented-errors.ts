import type { DocumentedError } from '../../../../kernel/define-error.js';
import { tooMany } from '../../../../platform/security/index.js';
import { acceptanceErrors } from '../../../engine/index.js';
import { chatAccountErrors, CONNECTION_ERRORS } from '../../../providers/index.js';
import { listErrors, uploadErrors } from '../../../recipient-lists/index.js';
import { senderErrors } from '../../../sender-ids/index.js';
import { templateSendErrors } from '../../../templates/index.js';
import { broadcastErrors } from '../../broadcasts/index.js';
import { personalisedErrors } from '../../personalised/index.js';
import { templateRequestErrors } from '../../template-messages/index.js';
import { attachmentErrors } from '../../unofficial-chat/index.js';
import { bulkErrors } from '../bulk.errors.js';

const template = templateRequestErrors;

/** Of the request alone. */
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
  bulkErrors.message,
  bulkErrors.messageTooLong,
  personalisedErrors.placeholder.shown('message', '<place>'),
  personalisedErrors.tooMany.shown('message'),
  senderErrors.dltTemplateId,
  senderErrors.validity,
  ...Object.values(attachmentErrors),
  bulkErrors.route,
  bulkErrors.category,
  acceptanceErrors.scheduleTime,
  acceptanceErrors.schedulePast,
  bulkErrors.list,
  bulkErrors.tooMany,
  bulkErrors.id,
];

/** Of what it names. */
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

/** Errors of the quote of a personalised send, in the order in which they are judged: it tells of recipients, and leaves by no route. */
export const BULK_QUOTE_ERRORS: readonly DocumentedError[] = [
  ...REQUEST_ERRORS,
  tooMany.because('too many of the account’s quotes of uploads and lists are under way'),
  ...NAMED_ERRORS,
];

/** Errors of a personalised send, likewise. */
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
