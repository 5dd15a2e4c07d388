import type { DocumentedError } from '../../kernel/define-error.js';
import { chatAccountErrors } from '../providers/index.js';
import { senderErrors } from '../sender-ids/index.js';
import { templateSendErrors } from '../templates/index.js';
import { broadcastErrors } from './broadcasts/index.js';

/** What channels answer to a quote that their own sends would refuse. For documents of features that know no channel by name. */
export const CHANNEL_QUOTE_ERRORS: readonly DocumentedError[] = [
  broadcastErrors.tooLong.because('as the channel’s own send would say'),
  templateSendErrors.notFound.because('template and branded: no template of that name'),
];

/** What channels answer to a retry, because they judge it as a new send. */
export const CHANNEL_RETRY_ERRORS: readonly DocumentedError[] = [
  templateSendErrors.notFound.because('template and branded: judged as a new send is'),
  templateSendErrors.notApproved.because('likewise pending and rejected, with the texts of a template send'),
  templateSendErrors.languageMismatch.because('it was changed; likewise its numbers of parameters'),
  chatAccountErrors.notFound.because('likewise its number id and token'),
  senderErrors.notApproved.because('sms and voice: the sender id that it was sent under is not any more'),
  senderErrors.dltTemplateRequired.because('sms: the route that a new send would take asks for it'),
  senderErrors.dltEntityRequired.because('likewise'),
];
