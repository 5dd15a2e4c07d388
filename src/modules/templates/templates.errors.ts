import { conflict, failed, invalid, notFound, unprocessable, atMost } from '../../kernel/errors.js';
import { STATUS_LABELS, TemplateStatus } from './template.js';

/** in code points; longer reasons are cut */
export const LONGEST_REASON = 500;

/** Errors of templates (reference/templates#own-templates); those of fields are in `template-form.ts`. */
export const templateErrors = {
  nameTaken: conflict('template_name_taken', 'This template name is already exist', 'duplicate name for the user').with(
    { field: 'template_name', hint: 'Choose another name, or change the template of this name by PUT.' },
  ),
  tooMany: invalid('too_many_templates', (most: number) => atMost(most, 'templates'), 'TEMPLATES_PER_ACCOUNT')
    .with({ hint: 'Remove templates that are no longer used.' })
    .shown(1000),
  usernameRequired: invalid('username_required', 'username is required', 'missing or empty').with({
    field: 'username',
  }),
  noneForUsername: notFound(
    'templates_not_found',
    'Template not found for this username',
    'none exist, or the account demands its own token',
  ).with({ field: 'username', hint: 'See the spelling; an account may also demand its own token here.' }),
  listQuery: failed('template_query', 'Failed to prepare query', 'server error').with({
    hint: 'The fault is ours: try again in a moment.',
  }),
  notFound: notFound('template_not_found', 'Template not found', 'no such template of this account'),
  wrongState: conflict(
    'wrong_state',
    (status: number) => `Template is already ${STATUS_LABELS[status] ?? 'disabled'}`,
    'likewise paused, disabled: no longer the owner’s to change',
  ).shown(TemplateStatus.Approved),
};

/** Errors of sending a template, in the order of validation (reference/template-messages#errors). */
export const templateSendErrors = {
  notFound: notFound('template_message_not_found', templateErrors.notFound.text, 'no template of that exact name').with(
    {
      field: 'template.name',
      hint: 'Names match letter by letter: `GET /v6/api/templates` lists those of the account.',
    },
  ),
  pending: conflict('template_message_pending', 'Template is pending platform approval', 'not yet approved').with({
    field: 'template.name',
    hint: 'Wait for its review: the event `template.status.update` reports it, and `GET /v6/api/templates` shows its status.',
  }),
  rejected: conflict('template_message_rejected', 'Template was rejected by the platform', 'rejected').with({
    field: 'template.name',
    hint: 'Its `reason` stands in `GET /v6/api/templates`; change it by PUT, and it is reviewed again.',
  }),
  notApproved: conflict(
    'template_message_not_approved',
    'Template is not approved for sending',
    'draft, paused or disabled',
  ).with({ field: 'template.name', hint: 'It is a draft, paused or disabled: send an approved one.' }),
  languageMismatch: unprocessable(
    'template_message_language_mismatch',
    'Template language does not match the approved template',
    'language mismatch',
  ).with({ field: 'template.language.code', hint: 'Send the language that the template was approved in.' }),
  bodyParameters: unprocessable(
    'template_message_body_parameters',
    'Template body parameter count does not match the approved template',
    'different {{n}} of the body',
  ).with({ field: 'template.components', hint: 'Give the body as many parameters as its text has different {{n}}.' }),
  headerParameters: unprocessable(
    'template_message_header_parameters',
    'Template header parameter count does not match the approved template',
    'a media header takes exactly 1',
  ).with({
    field: 'template.components',
    hint: 'A media header takes exactly one parameter, a text header as many as its text has {{1}}, and no header none.',
  }),
  parameterText: unprocessable(
    'template_message_parameter_text',
    'Template parameters must not be blank or contain line breaks, tabs or more than four blanks',
    'the provider refuses such texts; in a personalised send `errors` names the rows',
  ).with({
    field: 'template.components',
    hint: 'Mend the texts, or send "flatten": true, which replaces them by one blank.',
  }),
  buttonParameters: unprocessable(
    'template_message_button_parameters',
    'Template button parameters do not match the approved template',
    'a URL with {{1}} and a code to copy take one each, under the index of their button',
  ).with({
    field: 'template.components',
    hint: 'Give each such button { "type": "button", "sub_type": "url" or "copy_code", "index": "0", "parameters": [ … ] }.',
  }),
};

export type TemplateSendFault = keyof typeof templateSendErrors;
