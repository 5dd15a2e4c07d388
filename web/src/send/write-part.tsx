import type { Schema } from '../api/client.js';
import {
  CheckField,
  Empty,
  Link,
  type Loaded,
  LoadState,
  Section,
  SelectField,
  TextArea,
  TextField,
} from '../ui/index.js';
import {
  buttonsWanting,
  buttonValue,
  withButtonValue,
  type ChannelName,
  type Draft,
  isOfTemplates,
  numbersIn,
  type Template,
} from './draft.js';
import { Hear } from './hear.js';
import { MenuEditor } from './menu-editor.js';
import { countSms, named } from './sms-text.js';

export interface PartProperties {
  channel: ChannelName;
  draft: Draft;
  set: (fields: Partial<Draft>) => void;
}

const LANGUAGES = [
  ['en', 'English'],
  ['hi', 'Hindi'],
  ['te', 'Telugu'],
  ['ta', 'Tamil'],
  ['ru', 'Russian'],
  ['pa', 'Punjabi'],
  ['mr', 'Marathi'],
  ['ml', 'Malayalam'],
  ['gu', 'Gujarati'],
  ['ur', 'Urdu'],
  ['bn', 'Bengali'],
  ['kn', 'Kannada'],
  ['he', 'Hebrew'],
  ['de', 'German'],
  ['fr', 'French'],
  ['es', 'Spanish'],
] as const;

/** What the campaign says. */
export function WritePart({
  channel,
  draft,
  set,
  templates,
  template,
}: PartProperties & {
  templates: Loaded<Schema<'OwnTemplatePageAnswer'>>;
  template: Template | undefined;
}) {
  return (
    <Section title="1. Write">
      <TextField
        label="Name of the campaign"
        hint="Shown only to you, in lists and reports."
        maxLength={100}
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      {isOfTemplates(channel) ? (
        <LoadState query={templates}>
          {({ data }) => <TemplateFields draft={draft} set={set} templates={data} template={template} />}
        </LoadState>
      ) : channel === 'voice' ? (
        <VoiceFields draft={draft} set={set} />
      ) : (
        <TextFields channel={channel} draft={draft} set={set} />
      )}
    </Section>
  );
}

type Fields = Omit<PartProperties, 'channel'>;

function TextFields({ channel, draft, set }: PartProperties) {
  const count = countSms(draft.message);
  const length = Array.from(draft.message).length;
  return (
    <>
      <TextArea
        label="Message"
        rows={6}
        hint={'{{name}} stands for a value of each recipient, {{name|there}} has a default.'}
        value={draft.message}
        onChange={(event) => set({ message: event.currentTarget.value })}
      />
      {channel === 'sms' ? (
        <p className="counter" role="status">
          {count.length} characters · {count.encoding} · {count.parts} {count.parts === 1 ? 'part' : 'parts'}
          {count.unicode.length > 0 && ` · Unicode because of ${count.unicode.slice(0, 12).map(named).join(', ')}`}
        </p>
      ) : (
        <p className="counter" role="status">
          {length} of 1,500 characters
        </p>
      )}
      {channel === 'unofficial' && (
        <div className="pair">
          {(
            [
              ['image', 'Address of an image'],
              ['image2', 'Address of a second image'],
              ['document', 'Address of a document'],
            ] as const
          ).map(([field, label]) => (
            <TextField
              key={field}
              type="url"
              label={label}
              value={draft[field]}
              onChange={(event) => set({ [field]: event.currentTarget.value })}
            />
          ))}
        </div>
      )}
    </>
  );
}

function TemplateFields({
  draft,
  set,
  templates,
  template,
}: Fields & { templates: readonly Template[]; template: Template | undefined }) {
  const approved = templates.filter(({ status }) => status === 1);
  if (approved.length === 0) {
    return (
      <Empty title="No approved template yet">
        A campaign of this kind sends an approved template.{' '}
        <Link needs="manage" to="/templates/new">
          Create one
        </Link>
        .
      </Empty>
    );
  }
  const media = template?.header_area_type === 'media' ? template.header_media_type.toLowerCase() : null;
  const needsHeader = media !== null || numbersIn(template?.header_text ?? '').length > 0;
  return (
    <>
      <SelectField
        label="Template"
        options={[['', 'Choose…'], ...approved.map(({ template_name: name }) => [name, name] as const)]}
        value={draft.template}
        onChange={(event) => set({ template: event.currentTarget.value, bodyValues: {}, headerValue: '' })}
      />
      {needsHeader && (
        <TextField
          label={media === null ? 'Value of the header' : `Address of the ${media}`}
          value={draft.headerValue}
          onChange={(event) => set({ headerValue: event.currentTarget.value })}
        />
      )}
      {numbersIn(template?.template_body ?? '').map((number) => (
        <TextField
          key={number}
          label={`Value of {{${number}}}`}
          hint={number === '1' ? 'The same for everyone, or a column such as {{name|there}}.' : undefined}
          value={draft.bodyValues[number] ?? ''}
          onChange={(event) => set({ bodyValues: { ...draft.bodyValues, [number]: event.currentTarget.value } })}
        />
      ))}
      {buttonsWanting(template).map(({ index, label }) => (
        <TextField
          key={`button ${String(index)}`}
          label={label}
          hint="The same for everyone, or a column such as {{order}}."
          value={buttonValue(draft, index)}
          onChange={(event) => set(withButtonValue(draft, index, event.currentTarget.value))}
        />
      ))}
      <CheckField
        label="Replace line breaks, tabs and wide gaps in values with a space"
        hint="The provider refuses them. Without this, such rows are refused before anything is charged."
        checked={draft.flatten}
        onChange={(event) => set({ flatten: event.currentTarget.checked })}
      />
    </>
  );
}

function VoiceFields({ draft, set }: Fields) {
  return (
    <>
      <TextArea
        label="Text that is spoken"
        rows={5}
        maxLength={5000}
        hint="At most 5,000 characters and two minutes of speech."
        value={draft.message}
        onChange={(event) => set({ message: event.currentTarget.value })}
      />
      <div className="pair">
        <SelectField
          label="Language"
          options={LANGUAGES}
          value={draft.language}
          onChange={(event) => set({ language: event.currentTarget.value })}
        />
        <TextField
          type="url"
          label="Or: address of an audio file"
          value={draft.audioUrl}
          onChange={(event) => set({ audioUrl: event.currentTarget.value })}
        />
      </div>
      {draft.audioUrl === '' && <Hear message={draft.message} language={draft.language} />}
      <MenuEditor draft={draft} set={set} />
    </>
  );
}
