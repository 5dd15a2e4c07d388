import type { AppError } from '../../../kernel/app-error.js';
import { invalid } from '../../../kernel/define-error.js';
import { MOST_PLACEHOLDERS, type TemplateTextFault } from '../../../kernel/message-template.js';

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

/** The error of a field whose text has a fault. */
export const textFault = (field: string, read: TemplateTextFault): AppError =>
  read.fault === 'tooMany' ? personalisedErrors.tooMany(field) : personalisedErrors.placeholder(field, read.at);
