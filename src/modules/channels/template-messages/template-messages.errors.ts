import { failed, invalid, fieldErrors } from '../../../kernel/errors.js';
import { RECIPIENT_TEXTS } from '../../../kernel/contacts.js';

/** Faults of a request, whatever its template (reference/template-messages#errors, literally). */
export const templateRequestErrors = {
  product: invalid(
    'template_message_product',
    fieldErrors.mustBe.shown('messaging_product', 'chat').text,
    'missing or another',
  ).with({ field: 'messaging_product', hint: 'Write "chat".' }),
  toRequired: invalid('template_message_to_required', fieldErrors.required.shown('to').text, 'no recipients').with({
    field: 'to',
    hint: 'Give one number as a text, or an array of them.',
  }),
  toOfCampaign: invalid(
    'template_message_to_of_campaign',
    'to is required and must contain at least one valid recipient',
    'missing, empty or no array',
  ).with({ field: 'to', hint: 'Give an array of numbers, each with its country code.' }),
  noneValid: invalid(
    'template_message_none_valid',
    'No valid recipient phone numbers provided',
    'none has 8 to 20 digits after cleanup',
  ).with({ field: 'to', hint: 'Write each number with its country code, 8 to 20 digits.' }),
  tooMany: invalid(
    'template_message_too_many',
    'to array cannot exceed 30,000 contacts',
    'more than 30,000 numbers',
  ).with({ field: 'to', hint: 'Send several campaigns, or an upload or a list by `POST /v6/api/campaigns`.' }),
  type: invalid('template_message_type', 'type must be template', 'wrong type').with({
    field: 'type',
    hint: 'Write "template".',
  }),
  template: invalid('template_message_template', 'template must be an object', 'missing or no object').with({
    field: 'template',
    hint: 'Give an object with `name`, `language` and, where the template has variables, `components`.',
  }),
  name: invalid('template_message_name', 'template.name is required', 'missing or empty').with({
    field: 'template.name',
  }),
  language: invalid('template_message_language', 'template.language.code is required', 'missing or unrecognized').with({
    field: 'template.language.code',
    hint: 'Give a code such as en_US, the name of a language, or its id.',
  }),
  components: invalid(
    'template_message_components',
    'template.components must be an array',
    'given, and no array of objects',
  ).with({
    field: 'template.components',
    hint: 'Give an array of objects, each with its `type` and its `parameters`.',
  }),
  componentsTooLarge: invalid(
    'template_message_components_too_large',
    'template.components must be at most 64 KB',
    'more, as JSON',
  ).with({ field: 'template.components', hint: 'Hand on large media by a link.' }),
  recipientInvalid: invalid(
    'template_message_recipient_invalid',
    RECIPIENT_TEXTS.invalid,
    'no digits only after cleanup',
  ).with({ field: 'to', hint: 'Write the number in digits with its country code, without letters.' }),
  recipientLength: invalid('template_message_recipient_length', RECIPIENT_TEXTS.length, 'bad length').with({
    field: 'to',
    hint: 'Write the number with its country code.',
  }),
};

export type TemplateRequestFault = keyof typeof templateRequestErrors;

/** After a COMMIT whose answer was lost, the send may be queued all the same. */
const REPEAT_HINT =
  'The fault is ours. Send it again with the same Idempotency-Key: it is charged and leaves once at most. Without a key see first whether it stands among the campaigns.';

export const templateMessageErrors = {
  messageNotQueued: failed(
    'template_message_message_not_queued',
    'Failed to queue template message',
    'server error',
  ).with({ hint: REPEAT_HINT }),
  campaignNotQueued: failed(
    'template_message_campaign_not_queued',
    'Failed to queue template campaign',
    'server error',
  ).with({ hint: REPEAT_HINT }),
};
