import { type DefinedError, invalid } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { broadcastErrors } from '../broadcasts/index.js';
import type { AttachmentField } from './unofficial-broadcast.js';

const notAUrl = (field: AttachmentField): DefinedError =>
  invalid(`${field}_url`, fieldErrors.noUrl.shown(field).text, 'given, and no http or https URL').with({
    field,
    hint: 'Give an address that begins with http:// or https://, of 2048 characters at most.',
  });

/** Faults of the attachments, by their fields. */
export const attachmentErrors = {
  img1: notAUrl('img1'),
  img2: notAUrl('img2'),
  document: notAUrl('document'),
} satisfies Record<AttachmentField, DefinedError>;

/**
 * Errors of the unofficial broadcast: the broadcasts' and its own
 * (reference/unofficial-chat#addbroadcastunofficialphp), literally.
 */
export const unofficialErrors = {
  ...broadcastErrors,
  tooLong: broadcastErrors.tooLong.because('over 1500 characters'),
  ...attachmentErrors,
};
