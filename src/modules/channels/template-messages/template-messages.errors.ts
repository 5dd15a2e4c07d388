import { failed, invalid } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { RECIPIENT_TEXTS } from '../../../kernel/phone-number.js';

/** Faults of a request, whatever its template: the texts of reference/template-messages#errors, literally. */
export const templateRequestErrors = {
  product: invalid(
    'template_message_product',
    fieldErrors.mustBe.shown('messaging_product', 'chat').text,
    'missing or another',
  ),
  toRequired: invalid('template_message_to_required', fieldErrors.required.shown('to').text, 'no recipients'),
  toOfCampaign: invalid(
    'template_message_to_of_campaign',
    'to is required and must contain at least one valid recipient',
    'missing, empty or no array',
  ),
  noneValid: invalid(
    'template_message_none_valid',
    'No valid recipient phone numbers provided',
    'none has 8 to 20 digits after cleanup',
  ),
  tooMany: invalid('template_message_too_many', 'to array cannot exceed 30,000 contacts', 'more than 30,000 numbers'),
  type: invalid('template_message_type', 'type must be template', 'wrong type'),
  template: invalid('template_message_template', 'template must be an object', 'missing or no object'),
  name: invalid('template_message_name', 'template.name is required', 'missing or empty'),
  language: invalid('template_message_language', 'template.language.code is required', 'missing or unrecognized'),
  components: invalid(
    'template_message_components',
    'template.components must be an array',
    'given, and no array of objects',
  ),
  componentsTooLarge: invalid(
    'template_message_components_too_large',
    'template.components must be at most 64 KB',
    'more, as JSON',
  ),
  recipientInvalid: invalid(
    'template_message_recipient_invalid',
    RECIPIENT_TEXTS.invalid,
    'no digits only after cleanup',
  ),
  recipientLength: invalid('template_message_recipient_length', RECIPIENT_TEXTS.length, 'bad length'),
};

export type TemplateRequestFault = keyof typeof templateRequestErrors;

/** Errors of the template sends beside those of the request and of the template itself. */
export const templateMessageErrors = {
  messageNotQueued: failed('template_message_message_not_queued', 'Failed to queue template message', 'server error'),
  campaignNotQueued: failed(
    'template_message_campaign_not_queued',
    'Failed to queue template campaign',
    'server error',
  ),
};
