import { AppError } from '../../kernel/app-error.js';
import { LONGEST, MOST, type TemplateFault } from './domain/template-form.js';
import { STATUS_WORDS } from './domain/template-status.js';

const invalid = (code: string, text: string) => (): AppError => new AppError('invalid', code, text);
const tooLong = (field: string, most: number) =>
  invalid(`${field}_too_long`, `${field} must be at most ${most} characters`);

/** Rows of reference/templates#createtemplatesphp that look at the request alone, and those of ours. */
const FORM_ERRORS: Readonly<Record<TemplateFault, () => AppError>> = {
  nameRequired: invalid('name_required', 'template_name is required'),
  nameTooLong: tooLong('template_name', LONGEST.name),
  category: invalid('category', 'category must be marketing, utility, or auth'),
  headerArea: invalid('header_area', 'header_area_type must be media, text, or none'),
  headerMedia: invalid(
    'header_media',
    'header_media_type must be Image, Document, or Video when header_area_type is media',
  ),
  buttonsNoArray: invalid('buttons_no_array', 'quick_reply_buttons must be an array'),
  button: invalid('button', 'Each quick reply button must contain type=QUICK_REPLY and a non-empty text'),
  tooManyButtons: invalid('too_many_buttons', `quick_reply_buttons must have at most ${MOST.buttons} entries`),
  buttonTooLong: invalid('button_too_long', `Each quick reply text must be at most ${LONGEST.button} characters`),
  headerTextInvalid: invalid('header_text', 'header_text is invalid'),
  headerTextTooLong: tooLong('header_text', LONGEST.headerText),
  headerTextPlaceholders: invalid('header_text_placeholders', 'header_text may contain at most one {{1}}'),
  headerExampleUrl: invalid('header_example_url', 'header_example_url must be a valid URL'),
  bodyInvalid: invalid('body', 'template_body is invalid'),
  bodyTooLong: tooLong('template_body', LONGEST.body),
  examplesNoArray: invalid('examples_no_array', 'body_examples must be an array'),
  example: invalid('example', 'Each body example must be a non-empty text'),
  tooManyExamples: invalid('too_many_examples', `body_examples must have at most ${MOST.examples} entries`),
  exampleTooLong: invalid('example_too_long', `Each body example must be at most ${LONGEST.example} characters`),
  footerInvalid: invalid('footer', 'template_footer is invalid'),
  footerTooLong: tooLong('template_footer', LONGEST.footer),
};

/** Errors of the templates (reference/templates#createtemplatesphp), literally. */
export const templateErrors = {
  form: (fault: TemplateFault) => FORM_ERRORS[fault](),
  nameTaken: () => new AppError('conflict', 'template_name_taken', 'This template name is already exist'),
  tooMany: (most: number) => new AppError('invalid', 'too_many_templates', `At most ${most} templates are allowed`),
  usernameRequired: invalid('username_required', 'username is required'),
  noneForUsername: () => new AppError('not_found', 'templates_not_found', 'Template not found for this username'),
  listQuery: () => new AppError('failed', 'template_query', 'Failed to prepare query'),
  notFound: () => new AppError('not_found', 'template_not_found', 'Template not found'),
  wrongState: (status: number) =>
    new AppError('conflict', 'wrong_state', `Template is already ${STATUS_WORDS[status] ?? 'disabled'}`),
};
