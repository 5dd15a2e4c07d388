import { AppError, type ErrorKind } from '../../../kernel/app-error.js';
import { RECIPIENT_TEXTS } from '../../../kernel/phone-number.js';

const ROWS = {
  product: ['invalid', 'messaging_product must be chat'],
  toRequired: ['invalid', 'to is required'],
  toOfCampaign: ['invalid', 'to is required and must contain at least one valid recipient'],
  noneValid: ['invalid', 'No valid recipient phone numbers provided'],
  tooMany: ['invalid', 'to array cannot exceed 30,000 contacts'],
  type: ['invalid', 'type must be template'],
  template: ['invalid', 'template must be an object'],
  name: ['invalid', 'template.name is required'],
  language: ['invalid', 'template.language.code is required'],
  components: ['invalid', 'template.components must be an array'],
  componentsTooLarge: ['invalid', 'template.components must be at most 64 KB'],
  recipientInvalid: ['invalid', RECIPIENT_TEXTS.invalid],
  recipientLength: ['invalid', RECIPIENT_TEXTS.length],
  notFound: ['not_found', 'Template not found'],
  pending: ['conflict', 'Template is pending platform approval'],
  rejected: ['conflict', 'Template was rejected by the platform'],
  notApproved: ['conflict', 'Template is not approved for sending'],
  languageMismatch: ['unprocessable', 'Template language does not match the approved template'],
  bodyParameters: ['unprocessable', 'Template body parameter count does not match the approved template'],
  headerParameters: ['unprocessable', 'Template header parameter count does not match the approved template'],
  scheduleTime: ['invalid', 'schedule_time is invalid'],
  messageNotQueued: ['failed', 'Failed to queue template message'],
  campaignNotQueued: ['failed', 'Failed to queue template campaign'],
} as const satisfies Record<string, readonly [ErrorKind, string]>;

export type TemplateMessageFault = keyof typeof ROWS;

/** An error of the template sends: the texts of reference/template-messages#errors, literally. */
export function templateMessageError(fault: TemplateMessageFault): AppError {
  const [kind, text] = ROWS[fault];
  return new AppError(kind, `template_message_${fault}`, text);
}
