import { type AppError, invalid } from '../../../kernel/errors.js';
import { MessageTemplate, MOST_PLACEHOLDERS, type TemplateTextFault } from '../../../kernel/message-template.js';
import { isBlank } from '../../../kernel/text.js';
import type { Channel, Content } from '../../engine/index.js';

type Addressee = Parameters<Channel['compose']>[1];

/** Errors of texts with placeholders (reference/bulk#placeholders). */
export const personalisedErrors = {
  placeholder: invalid(
    'placeholder_invalid',
    (field: string, at: number) => `${field} has no valid placeholder at character ${at}`,
    'what begins with {{ and is none; a literal {{ is written \\{{',
  ).with({
    field: (field: string) => field,
    hint: 'Write {{name}} or {{name|default}}; a literal {{ is written \\{{.',
  }),
  tooMany: invalid(
    'placeholders_too_many',
    (field: string) => `${field} must have at most ${MOST_PLACEHOLDERS} placeholders`,
    'each counted as often as it stands there',
  ).with({ field: (field: string) => field, hint: 'Put what is the same for all into the text itself.' }),
  missing: invalid(
    'placeholder_missing',
    'Some recipients have no value for a placeholder',
    'nor is there a default; `errors` names the rows and the placeholders',
  ).with({ hint: 'Give each named row the variable, or a default in the text: {{name|friend}}. Nothing was charged.' }),
  empty: invalid('message_empty', 'Message is empty', 'where only some texts are, `errors` names the rows').with({
    field: 'message',
    hint: '`errors` names the rows whose text is empty once it is filled in.',
  }),
};

export const textFault = (field: string, read: TemplateTextFault): AppError =>
  read.fault === 'tooMany' ? personalisedErrors.tooMany(field) : personalisedErrors.placeholder(field, read.at);

const NOTHING: readonly string[] = [];

/** By content, so that a campaign's text is parsed once. */
const KNOWN = new WeakMap<Content, MessageTemplate>();

/** The parsed text of a content; null when it is not marked as personalised, even with braces (docs/decisions/0031). */
function templateOf(content: Content): MessageTemplate | null {
  if (content['personalised'] !== true) return null;
  const known = KNOWN.get(content);
  if (known) return known;
  const read = MessageTemplate.parse(String(content['message']));
  if ('fault' in read) throw new Error('a personalised text was stored that cannot be read');
  KNOWN.set(content, read.template);
  return read.template;
}

/** The `message` of a content for one recipient. */
export const messageOf = (content: Content, addressee?: Addressee): string =>
  templateOf(content)?.render(addressee?.variables) ?? String(content['message']);

/** The message to price; without addressee the shared text, without defaults. @throws AppError invalid `Message is empty` */
export function pricedMessageOf(content: Content, addressee?: Addressee): string {
  if (!addressee) return templateOf(content)?.around ?? String(content['message']);
  const message = messageOf(content, addressee);
  if (message.trim() === '') throw personalisedErrors.empty();
  return message;
}

/** A text in parts: its characters are counted without joining them. */
export interface TextParts {
  around: string;
  values: readonly string[];
}

/** `pricedMessageOf` in parts, to count its characters. @throws AppError invalid `Message is empty` */
export function pricedPartsOf(content: Content, addressee?: Addressee): TextParts {
  const template = templateOf(content);
  const around = template?.around ?? String(content['message']);
  const values = addressee ? (template?.values(addressee.variables) ?? NOTHING) : NOTHING;
  if (addressee && isBlank(around) && values.every(isBlank)) throw personalisedErrors.empty();
  return { around, values };
}

/** Placeholders of `message` without a value for a recipient. */
export const missingOf = (content: Content, { variables }: Addressee): readonly string[] =>
  templateOf(content)?.missing(variables) ?? NOTHING;
