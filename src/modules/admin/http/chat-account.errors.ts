import type { DocumentedError } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { MOST_PER_SECOND } from '../../../platform/http/index.js';
import { CHAT_PROVIDERS } from '../../providers/index.js';
import { connectionErrors } from '../admin.errors.js';

export const PUT_CHAT_ACCOUNT_ERRORS: readonly DocumentedError[] = [
  fieldErrors.noWord.shown('provider', CHAT_PROVIDERS).because('another word'),
  fieldErrors.invalid
    .shown('token')
    .because('likewise every other field: no text, too long, or characters that no header carries'),
  fieldErrors.noWholeNumber.shown('messages_per_second', 1, MOST_PER_SECOND).because('something else; null = no limit'),
  connectionErrors.providerRequired,
  connectionErrors.urlWithAddress,
  connectionErrors.tokenWithAddress,
  connectionErrors.closedAddress,
];
