import { type DefinedError, invalid, fieldErrors } from '../../kernel/errors.js';
import { objectOrEmpty } from '../../kernel/json-values.js';
import { codePoints, readText, type ReadText, textOrNull } from '../../kernel/text.js';
import { isHttpUrl } from '../../kernel/urls.js';
import { templateErrors } from './templates.errors.js';
import type { AnswerWarning } from '../../platform/http/index.js';
import { isListed, languageOrDefault, readLanguage } from './languages.js';
import {
  CATEGORY_NUMBERS,
  type HeaderArea,
  type HeaderMedia,
  type LinkButton,
  placeholderNumbers,
  type QuickReply,
  type TemplateCategory,
  type TemplateContent,
} from './template.js';

/** A template of a client, not validated. */
export interface RawTemplate {
  template_name?: unknown;
  category?: unknown;
  language?: unknown;
  header_area_type?: unknown;
  header_media_type?: unknown;
  header_text?: unknown;
  header_example_url?: unknown;
  template_body?: unknown;
  body_examples?: unknown;
  template_footer?: unknown;
  quick_reply_buttons?: unknown;
  buttons?: unknown;
}

/** Longest texts in code points (reference/templates#createtemplatesphp); footer and examples are own limits. */
const LONGEST = { name: 512, headerText: 60, body: 4096, footer: 4096, button: 200, example: 200 } as const;

export const MOST = { buttons: 10, examples: 100 } as const;

const HEADER_AREAS: readonly string[] = ['media', 'text', 'none'] satisfies HeaderArea[];
const HEADER_MEDIA: readonly string[] = ['Image', 'Document', 'Video'] satisfies HeaderMedia[];
const LONGEST_URL = 2048;

interface Fields {
  name: ReadText;
  category: ReadText;
  area: ReadText;
  media: ReadText;
  headerText: ReadText;
  exampleUrl: ReadText;
  body: ReadText;
  footer: ReadText;
  buttons: readonly unknown[] | null;
  links: readonly unknown[] | null;
  examples: readonly unknown[] | null;
}

const valueOf = (read: ReadText): string => (read.kind === 'text' ? read.value : '');
const isLonger = (read: ReadText, most: number): boolean => codePoints(valueOf(read)) > most;
const areaOf = ({ area }: Fields): string => (area.kind === 'empty' ? 'none' : valueOf(area));

// Absent and blank values are an empty list; null = not a list.
function listOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value as unknown[];
  return readText(value).kind === 'empty' ? [] : null;
}

function quickReplyOf(item: unknown): QuickReply | null {
  const { type, text } = objectOrEmpty(item);
  const read = textOrNull(text);
  return type === 'QUICK_REPLY' && read !== null ? { type, text: read } : null;
}

const LONGEST_LABEL = 25;
const LONGEST_CODE = 15;
const MOST_OF: Readonly<Record<LinkButton['type'], number>> = { URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1 };

function linkButtonOf(item: unknown): LinkButton | null {
  const fields = objectOrEmpty(item);
  const { type } = fields;
  // null = absent, or longer
  const textIn = (name: string, most: number): string | null => {
    const text = textOrNull(fields[name]);
    return text === null || codePoints(text) > most ? null : text;
  };
  const example = textIn('example', type === 'COPY_CODE' ? LONGEST_CODE : LONGEST_URL);
  if (type === 'COPY_CODE') return example === null ? null : { type, example };
  const text = textIn('text', LONGEST_LABEL);
  if (text === null) return null;
  if (type === 'PHONE_NUMBER') {
    const phone = textIn('phone_number', LONGEST_LABEL) ?? '';
    return PHONE.test(phone) ? { type, text, phone_number: phone } : null;
  }
  const url = textIn('url', LONGEST_URL);
  const fixed = url?.replace(/\{\{1\}\}$/, '') ?? '';
  if (type !== 'URL' || url === null || !isHttpUrl(fixed) || fixed.includes('{{')) return null;
  return { type, text, url, ...(example !== null && isHttpUrl(example) && { example }) };
}

const PHONE = /^\+?\d{5,20}$/;

function hasTooManyLinks(links: readonly unknown[], replies: number): boolean {
  const kinds = links.map((item) => linkButtonOf(item)?.type);
  const isOver = (Object.keys(MOST_OF) as LinkButton['type'][]).some(
    (type) => kinds.filter((kind) => kind === type).length > MOST_OF[type],
  );
  return isOver || links.length + replies > MOST.buttons;
}

const isLongText = (value: unknown, most: number): boolean => codePoints(textOrNull(value) ?? '') > most;

function isWebUrl(read: ReadText): boolean {
  const text = valueOf(read).trim();
  return text.length <= LONGEST_URL && isHttpUrl(text);
}

/** `{{first_name}}`, `{{ 1 }}`, `{{}}`: the provider takes them for placeholders, or refuses them. */
const hasOtherPlaceholders = (text: string): boolean =>
  Array.from(text.matchAll(/\{\{([^{}]*)\}\}/g)).some(([, name]) => !/^[1-9]\d{0,2}$/.test(name ?? ''));

function takesOneParameter(text: string): boolean {
  return (
    !hasOtherPlaceholders(text) &&
    placeholderNumbers(text).every((number) => number === 1) &&
    text.split('{{1}}').length <= 2
  );
}

const readFields = (raw: RawTemplate): Fields => ({
  name: readText(raw.template_name),
  category: readText(raw.category),
  area: readText(raw.header_area_type),
  media: readText(raw.header_media_type),
  headerText: readText(raw.header_text),
  exampleUrl: readText(raw.header_example_url),
  body: readText(raw.template_body),
  footer: readText(raw.template_footer),
  buttons: listOf(raw.quick_reply_buttons),
  links: listOf(raw.buttons),
  examples: listOf(raw.body_examples),
});

const tooLong = (field: string, most: number): DefinedError =>
  invalid(`${field}_too_long`, fieldErrors.tooLong.shown(field, most).text, 'too long').with({ field });

// The error table of reference/templates#createtemplatesphp, in its order. An own row follows the table's rows of its field;
// own rows of other fields come last (reference/requests#order).
const ROWS: readonly { error: DefinedError; applies: (fields: Fields) => boolean }[] = [
  {
    error: invalid('name_required', 'template_name is required', 'missing or empty').with({ field: 'template_name' }),
    applies: ({ name }) => name.kind !== 'text',
  },
  { error: tooLong('template_name', LONGEST.name), applies: ({ name }) => isLonger(name, LONGEST.name) },
  {
    error: invalid('category', 'category must be marketing, utility, or auth', 'invalid category').with({
      field: 'category',
    }),
    applies: ({ category }) => !Object.hasOwn(CATEGORY_NUMBERS, valueOf(category)),
  },
  {
    error: invalid('header_area', 'header_area_type must be media, text, or none', 'invalid').with({
      field: 'header_area_type',
    }),
    applies: (fields) => !HEADER_AREAS.includes(areaOf(fields)),
  },
  {
    error: invalid(
      'header_media',
      'header_media_type must be Image, Document, or Video when header_area_type is media',
      'missing or invalid',
    ).with({ field: 'header_media_type' }),
    applies: (fields) => areaOf(fields) === 'media' && !HEADER_MEDIA.includes(valueOf(fields.media)),
  },
  {
    error: invalid('buttons_no_array', 'quick_reply_buttons must be an array', 'not an array').with({
      field: 'quick_reply_buttons',
    }),
    applies: ({ buttons }) => buttons === null,
  },
  {
    error: invalid(
      'button',
      'Each quick reply button must contain type=QUICK_REPLY and a non-empty text',
      'malformed button',
    ).with({ field: 'quick_reply_buttons', hint: 'Each is { "type": "QUICK_REPLY", "text": "…" }.' }),
    applies: ({ buttons }) => buttons?.some((item) => quickReplyOf(item) === null) ?? false,
  },
  {
    error: invalid(
      'too_many_buttons',
      `quick_reply_buttons must have at most ${MOST.buttons} entries`,
      'too many',
    ).with({ field: 'quick_reply_buttons' }),
    applies: ({ buttons }) => (buttons?.length ?? 0) > MOST.buttons,
  },
  {
    error: invalid(
      'button_too_long',
      `Each quick reply text must be at most ${LONGEST.button} characters`,
      'too long',
    ).with({ field: 'quick_reply_buttons' }),
    applies: ({ buttons }) => buttons?.some((item) => isLongText(quickReplyOf(item)?.text, LONGEST.button)) ?? false,
  },
  {
    error: invalid(
      'link_buttons',
      'buttons must be a list of { type: URL, text, url }, { type: PHONE_NUMBER, text, phone_number } and { type: COPY_CODE, example }',
      'another shape, a URL with {{1}} elsewhere than at its end, or a text over 25 characters',
    ).with({ field: 'buttons', hint: 'A url may end with {{1}}, which each send fills in.' }),
    applies: ({ links }) => links?.some((item) => linkButtonOf(item) === null) ?? true,
  },
  {
    error: invalid(
      'too_many_link_buttons',
      'buttons must have at most 2 URL, 1 PHONE_NUMBER and 1 COPY_CODE, and 10 entries with quick_reply_buttons',
      'more',
    ).with({ field: 'buttons' }),
    applies: ({ links, buttons }) => hasTooManyLinks(links ?? [], buttons?.length ?? 0),
  },
  {
    error: invalid('header_text', 'header_text is invalid', 'of a text header: no text').with({ field: 'header_text' }),
    applies: (fields) => areaOf(fields) === 'text' && fields.headerText.kind === 'fault',
  },
  {
    error: tooLong('header_text', LONGEST.headerText),
    applies: (fields) => areaOf(fields) === 'text' && isLonger(fields.headerText, LONGEST.headerText),
  },
  {
    error: invalid(
      'header_text_placeholders',
      'header_text may contain at most one {{1}}',
      'more placeholders, or another number',
    ).with({ field: 'header_text' }),
    applies: (fields) => areaOf(fields) === 'text' && !takesOneParameter(valueOf(fields.headerText)),
  },
  {
    error: invalid(
      'header_example_url',
      'header_example_url must be a valid URL',
      'of a media header: not http(s)',
    ).with({ field: 'header_example_url', hint: 'Give an address that begins with http:// or https://.' }),
    applies: (fields) =>
      areaOf(fields) === 'media' && fields.exampleUrl.kind !== 'empty' && !isWebUrl(fields.exampleUrl),
  },
  {
    error: invalid('body', 'template_body is invalid', 'no text').with({ field: 'template_body' }),
    applies: ({ body }) => body.kind === 'fault',
  },
  {
    error: invalid(
      'body_placeholders',
      'template_body may contain only placeholders such as {{1}}',
      'a named or empty one, which sends cannot fill in',
    ).with({ field: 'template_body', hint: 'Write {{1}}, {{2}} and so on in place of names such as {{first_name}}.' }),
    applies: ({ body }) => hasOtherPlaceholders(valueOf(body)),
  },
  { error: tooLong('template_body', LONGEST.body), applies: ({ body }) => isLonger(body, LONGEST.body) },
  {
    error: invalid('examples_no_array', 'body_examples must be an array', 'not an array').with({
      field: 'body_examples',
    }),
    applies: ({ examples }) => examples === null,
  },
  {
    error: invalid('example', 'Each body example must be a non-empty text', 'malformed example').with({
      field: 'body_examples',
      hint: 'Give one example a placeholder of the body, in their order.',
    }),
    applies: ({ examples }) => examples?.some((item) => textOrNull(item) === null) ?? false,
  },
  {
    error: invalid('too_many_examples', `body_examples must have at most ${MOST.examples} entries`, 'too many').with({
      field: 'body_examples',
    }),
    applies: ({ examples }) => (examples?.length ?? 0) > MOST.examples,
  },
  {
    error: invalid(
      'example_too_long',
      `Each body example must be at most ${LONGEST.example} characters`,
      'too long',
    ).with({ field: 'body_examples' }),
    applies: ({ examples }) => examples?.some((item) => isLongText(item, LONGEST.example)) ?? false,
  },
  {
    error: invalid('footer', 'template_footer is invalid', 'no text').with({ field: 'template_footer' }),
    applies: ({ footer }) => footer.kind === 'fault',
  },
  { error: tooLong('template_footer', LONGEST.footer), applies: ({ footer }) => isLonger(footer, LONGEST.footer) },
];

/** Errors of the fields, in the order of validation. */
export const TEMPLATE_FORM_ERRORS: readonly DefinedError[] = ROWS.map(({ error }) => error);

/** Validates a template (reference/templates#createtemplatesphp); returns its content or the first error that applies. */
export function readTemplate(raw: RawTemplate): { content: TemplateContent } | { fault: DefinedError } {
  const fields = readFields(raw);
  const row = ROWS.find(({ applies }) => applies(fields));
  if (row) return { fault: row.error };
  const area = areaOf(fields) as HeaderArea;
  const bodyExamples = (fields.examples ?? []).map((item) => textOrNull(item) ?? '');
  return {
    content: {
      name: valueOf(fields.name),
      category: valueOf(fields.category) as TemplateCategory,
      language: languageOrDefault(raw.language),
      headerAreaType: area,
      headerMediaType: area === 'media' ? (valueOf(fields.media) as HeaderMedia) : '',
      headerText: area === 'text' ? valueOf(fields.headerText) : '',
      body: valueOf(fields.body),
      footer: valueOf(fields.footer),
      quickReplies: (fields.buttons ?? []).flatMap((item) => quickReplyOf(item) ?? []),
      buttons: (fields.links ?? []).flatMap((item) => linkButtonOf(item) ?? []),
      bodyExamples: bodyExamples.slice(0, placeholderNumbers(valueOf(fields.body)).length),
      headerExampleUrl: area === 'media' ? valueOf(fields.exampleUrl).trim() || null : null,
    },
  };
}

/** A stored template as a client would write it, the base of a partial change. */
export const rawOf = (template: TemplateContent): RawTemplate => ({
  template_name: template.name,
  category: template.category,
  language: template.language.code,
  header_area_type: template.headerAreaType,
  header_media_type: template.headerMediaType,
  header_text: template.headerText,
  header_example_url: template.headerExampleUrl,
  template_body: template.body,
  body_examples: template.bodyExamples,
  template_footer: template.footer,
  quick_reply_buttons: template.quickReplies,
  buttons: template.buttons,
});

/** Warns about a language without an id. */
export function languageWarnings({ language }: RawTemplate): AnswerWarning[] {
  if (language === undefined || language === null || language === '') return [];
  const read = readLanguage(language);
  if (read && isListed(read)) return [];
  return [
    {
      code: read ? 'language_by_code' : 'language_fallback',
      field: 'language',
      message: read
        ? `This language has no id, so id 1 stands for it: the template is handed in as ${read.code}`
        : 'There is no such language: the template is in English (US)',
    },
  ];
}

const ID = /^[1-9]\d{0,8}$/;

/** Reads the id of a path. Throws AppError not_found for other text. */
export function readTemplateId(text: string): number {
  if (!ID.test(text)) throw templateErrors.notFound();
  return Number(text);
}
