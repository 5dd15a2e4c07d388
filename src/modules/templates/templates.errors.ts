import { conflict, failed, invalid, notFound, unprocessable } from '../../kernel/define-error.js';
import { atMost } from '../../kernel/field-errors.js';
import { STATUS_LABELS, TemplateStatus } from './domain/template-status.js';

/**
 * Errors of the templates (reference/templates#createtemplatesphp, reference/templates#own-templates), literally; those
 * of a template's fields stand in `template-form.ts`.
 */
export const templateErrors = {
  nameTaken: conflict('template_name_taken', 'This template name is already exist', 'duplicate name for the user'),
  tooMany: invalid('too_many_templates', (most: number) => atMost(most, 'templates'), 'TEMPLATES_PER_ACCOUNT').shown(
    1000,
  ),
  usernameRequired: invalid('username_required', 'username is required', 'missing or empty'),
  noneForUsername: notFound(
    'templates_not_found',
    'Template not found for this username',
    'none exist, or the account demands its own token',
  ),
  listQuery: failed('template_query', 'Failed to prepare query', 'server error'),
  notFound: notFound('template_not_found', 'Template not found', 'no such template of this account'),
  wrongState: conflict(
    'wrong_state',
    (status: number) => `Template is already ${STATUS_LABELS[status] ?? 'disabled'}`,
    'likewise paused, disabled: no longer the owner’s to change',
  ).shown(TemplateStatus.Approved),
};

/** Why a template cannot be sent (reference/template-messages#errors), literally, in the order in which it is judged. */
export const templateSendErrors = {
  notFound: notFound('template_message_not_found', templateErrors.notFound.text, 'no template of that exact name'),
  pending: conflict('template_message_pending', 'Template is pending platform approval', 'not yet approved'),
  rejected: conflict('template_message_rejected', 'Template was rejected by the platform', 'rejected'),
  notApproved: conflict(
    'template_message_not_approved',
    'Template is not approved for sending',
    'draft, paused or disabled',
  ),
  languageMismatch: unprocessable(
    'template_message_language_mismatch',
    'Template language does not match the approved template',
    'language mismatch',
  ),
  bodyParameters: unprocessable(
    'template_message_body_parameters',
    'Template body parameter count does not match the approved template',
    'different {{n}} of the body',
  ),
  headerParameters: unprocessable(
    'template_message_header_parameters',
    'Template header parameter count does not match the approved template',
    'a media header takes exactly 1',
  ),
};

export type TemplateSendFault = keyof typeof templateSendErrors;
