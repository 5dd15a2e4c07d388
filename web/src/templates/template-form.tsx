import type { Schema } from '../api/client.js';
import { Handset } from '../send/handset.js';
import { Form, Section, SelectField, TextArea, TextField, useServerForm } from '../ui/index.js';
import { LANGUAGES } from './template-words.js';

/** A template as the form holds it. */
export interface TemplateValues {
  template_name: string;
  category: string;
  language: string;
  /** a code or name that the list lacks; empty = `language` counts */
  other_language?: string;
  header_area_type: string;
  header_media_type: string;
  header_text: string;
  header_example_url: string;
  template_body: string;
  template_footer: string;
  /** one a line */
  body_examples: string;
  quick_reply_buttons: string;
  /** one a line: a text and where it leads, or a code */
  buttons: string;
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const buttonsOf = (text: string) => lines(text).map((reply) => ({ type: 'QUICK_REPLY', text: reply }));

/** `Track it | https://… | a sample of it`, `Call us | +49…`, `Code | SAVE10`, one a line. */
const linksOf = (text: string) =>
  lines(text).map((line) => {
    const [label = '', target = '', sample = ''] = line.split('|').map((part) => part.trim());
    if (/^code$/i.test(label)) return { type: 'COPY_CODE', example: target };
    if (/^\+?\d{5,20}$/.test(target)) return { type: 'PHONE_NUMBER', text: label, phone_number: target };
    return { type: 'URL', text: label, url: target, ...(sample !== '' && { example: sample }) };
  });

/** The lines that `linksOf` reads. */
export const linkLines = (buttons: readonly Schema<'LinkButtonData'>[]): string =>
  buttons
    .map(({ type, text, url, phone_number: phone, example }) =>
      type === 'COPY_CODE'
        ? `Code | ${example ?? ''}`
        : [text, type === 'URL' ? url : phone, type === 'URL' ? example : undefined]
            .filter((part) => part !== undefined)
            .join(' | '),
    )
    .join('\n');

const languageOf = ({ language, other_language: other = '' }: TemplateValues): string | number =>
  other.trim() !== '' ? other.trim() : /^\d+$/.test(language) ? Number(language) : language;

/** The body of a creation or a change. */
export function bodyOf(values: TemplateValues): Record<string, unknown> {
  const isMedia = values.header_area_type === 'media';
  const isText = values.header_area_type === 'text';
  return {
    template_name: values.template_name,
    category: values.category,
    language: languageOf(values),
    header_area_type: values.header_area_type,
    header_media_type: isMedia ? values.header_media_type : '',
    header_text: isText ? values.header_text : '',
    header_example_url: isMedia && values.header_example_url !== '' ? values.header_example_url : null,
    template_body: values.template_body,
    template_footer: values.template_footer,
    body_examples: lines(values.body_examples),
    quick_reply_buttons: buttonsOf(values.quick_reply_buttons),
    buttons: linksOf(values.buttons),
  };
}

/** Every language by its id, and the one that the template is in where that has none. */
const languagesBeside = (own: string): (readonly [string, string])[] => [
  ...LANGUAGES.map((name, at) => [String(at + 1), name] as const),
  ...(/^\d+$/.test(own) ? [] : [[own, own] as const]),
];

/** A template that is written, beside what the handset shows of it. */
export function TemplateForm({
  values,
  submitLabel,
  onSave,
}: {
  values: TemplateValues;
  submitLabel: string;
  onSave: (body: Record<string, unknown>) => Promise<unknown>;
}) {
  const form = useServerForm<TemplateValues>(values);
  const now = form.watch();
  const examples = Object.fromEntries(lines(now.body_examples).map((text, at) => [String(at + 1), text]));
  return (
    <div className="send">
      <Section title="Text">
        <Form needs="manage" form={form} onSubmit={(given) => onSave(bodyOf(given))} submitLabel={submitLabel}>
          <TextField
            label="Name"
            hint="Used by sends; unique in your account."
            maxLength={512}
            error={form.errorOf('template_name')}
            {...form.register('template_name', { required: true })}
          />
          <SelectField
            label="Category"
            options={[
              ['marketing', 'Marketing'],
              ['utility', 'Utility'],
              ['auth', 'Authentication'],
            ]}
            error={form.errorOf('category')}
            {...form.register('category')}
          />
          <SelectField label="Language" options={languagesBeside(values.language)} {...form.register('language')} />
          <TextField
            label="Another language"
            hint="A code or name at the provider, such as pt_BR or French; it replaces the choice above."
            maxLength={40}
            {...form.register('other_language')}
          />
          <SelectField
            label="Header"
            options={[
              ['none', 'None'],
              ['text', 'A line of text'],
              ['media', 'A picture, a video or a document'],
            ]}
            error={form.errorOf('header_area_type')}
            {...form.register('header_area_type')}
          />
          {now.header_area_type === 'media' && (
            <>
              <SelectField
                label="Kind of file"
                options={['Image', 'Video', 'Document'].map((kind) => [kind, kind] as const)}
                error={form.errorOf('header_media_type')}
                {...form.register('header_media_type')}
              />
              <TextField
                type="url"
                label="Address of a sample for the review"
                error={form.errorOf('header_example_url')}
                {...form.register('header_example_url')}
              />
            </>
          )}
          {now.header_area_type === 'text' && (
            <TextField
              label="Text of the header"
              hint="At most 60 characters, at most one {{1}}."
              maxLength={60}
              error={form.errorOf('header_text')}
              {...form.register('header_text')}
            />
          )}
          <TextArea
            label="Body"
            rows={6}
            hint="{{1}}, {{2}} … are filled in for each send."
            error={form.errorOf('template_body')}
            {...form.register('template_body')}
          />
          <TextArea
            label="Sample values"
            rows={2}
            hint="One per line, the first for {{1}}. Needed for the review."
            error={form.errorOf('body_examples')}
            {...form.register('body_examples')}
          />
          <TextField label="Footer" error={form.errorOf('template_footer')} {...form.register('template_footer')} />
          <TextArea
            label="Quick replies"
            rows={3}
            hint="One per line, at most ten."
            error={form.errorOf('quick_reply_buttons')}
            {...form.register('quick_reply_buttons')}
          />
          <TextArea
            label="Other buttons"
            rows={3}
            hint="One per line: Track it | https://example.com/{{1}}, Call us | +4915112345678, Code | SAVE10."
            error={form.errorOf('buttons')}
            {...form.register('buttons')}
          />
        </Form>
      </Section>
      <Section title="Preview on a phone">
        <Handset
          template={{
            ...now,
            quick_replies: JSON.stringify(buttonsOf(now.quick_reply_buttons)),
            buttons: linksOf(now.buttons),
          }}
          values={examples}
        />
      </Section>
    </div>
  );
}
