import { AppError } from '../../../kernel/app-error.js';
import { broadcastErrors } from '../broadcasts/index.js';
import { ATTACHMENTS, type AttachmentField } from './unofficial-broadcast.js';

const notAUrl = (field: AttachmentField) => (): AppError =>
  new AppError('invalid', `${field}_url`, `${field} must be a valid URL`);

/**
 * Errors of the unofficial broadcast: the broadcasts' and its own
 * (reference/unofficial-chat#addbroadcastunofficialphp), literally.
 */
export const unofficialErrors = {
  ...broadcastErrors,
  ...(Object.fromEntries(ATTACHMENTS.map((field) => [field, notAUrl(field)])) as Record<
    AttachmentField,
    () => AppError
  >),
};
