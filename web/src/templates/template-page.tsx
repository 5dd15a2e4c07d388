import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { $api, api, type Schema } from '../api/client.js';
import { Handset, repliesOf } from '../send/handset.js';
import { SENDS } from '../app/page-definition.js';
import {
  Button,
  confirm,
  Facts,
  Link,
  LoadState,
  notify,
  notifyFault,
  Page,
  Section,
  StatusBadge,
  Time,
  useParam,
} from '../ui/index.js';
import { linkLines, TemplateForm } from './template-form.js';
import { CATEGORY_OF, categoryNote, hasNoId, isChangeable, languageOf, STATUS_OF } from './template-words.js';

type Template = Schema<'OwnTemplateAnswer'>;

/** One template: what it says, what became of it, and its form while the owner may change it. */
export default function TemplatePage() {
  const id = Number(useParam('id'));
  const query = $api.useQuery('get', '/v6/api/templates/{id}', { params: { path: { id } } });
  return (
    <LoadState query={query}>
      {({ data }) => <Shown key={`${String(data.id)} ${String(data.status)}`} template={data} />}
    </LoadState>
  );
}

function Shown({ template }: { template: Template }) {
  const { id, status, template_name: name } = template;
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    if (!(await confirm({ title: 'Delete this template?', text: name, yes: 'Delete it' }))) return;
    try {
      await api.DELETE('/v6/api/templates/{id}', { params: { path: { id } } });
      await navigate({ to: '/templates' });
      void client.invalidateQueries();
      notify('Deleted');
    } catch (error) {
      notifyFault(error);
    }
  };
  const save = async (body: Record<string, unknown>) => {
    await api.PUT('/v6/api/templates/{id}', { params: { path: { id } }, body: body as never });
    await client.invalidateQueries();
    notify('Saved. It is waiting for approval.');
  };
  return (
    <Page
      title={name}
      about={<StatusBadge status={STATUS_OF[status] ?? String(status)} />}
      actions={
        <>
          {status === 1 && (
            <Link needs={SENDS} to="/send" search={{ channel: 'template', template: name }} className="button primary">
              Send it
            </Link>
          )}
          {isChangeable(status) && (
            <Button needs="manage" kind="danger" onClick={() => void remove()}>
              Delete
            </Button>
          )}
        </>
      }
    >
      <Section title="Template">
        <Facts
          facts={[
            ['Category', CATEGORY_OF[template.category] ?? template.category],
            ['Category set by the provider', categoryNote(template)],
            ['Changed', template.category_changed_at && <Time key="changed" value={template.category_changed_at} />],
            ['Language', languageOf(template)],
            ['Created', <Time key="at" value={template.created_at} />],
            ['Buttons', template.buttons.length === 0 ? null : linkLines(template.buttons).replaceAll('\n', '; ')],
            ['Reason', template.reason],
          ]}
        />
      </Section>
      {isChangeable(status) ? (
        <TemplateForm values={valuesOf(template)} submitLabel="Save and resubmit" onSave={save} />
      ) : (
        <Section title="Preview on a phone">
          <Handset
            template={template}
            values={Object.fromEntries(template.body_examples.map((text, at) => [String(at + 1), text]))}
          />
        </Section>
      )}
    </Page>
  );
}

const valuesOf = (template: Template) => ({
  template_name: template.template_name,
  category: CATEGORY_OF[template.category] ?? 'marketing',
  language: hasNoId(template) ? template.language_code : String(template.language),
  header_area_type: template.header_area_type,
  header_media_type: template.header_media_type === '' ? 'Image' : template.header_media_type,
  header_text: template.header_text,
  header_example_url: template.header_example_url ?? '',
  template_body: template.template_body,
  template_footer: template.template_footer,
  body_examples: template.body_examples.join('\n'),
  quick_reply_buttons: repliesOf(template.quick_replies).join('\n'),
  buttons: linkLines(template.buttons),
});
