import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/client.js';
import { notify, Page } from '../ui/index.js';
import { TemplateForm } from './template-form.js';

const NEW = {
  template_name: '',
  category: 'utility',
  language: '1',
  header_area_type: 'none',
  header_media_type: 'Image',
  header_text: '',
  header_example_url: '',
  template_body: '',
  template_footer: '',
  body_examples: '',
  quick_reply_buttons: '',
  buttons: '',
};

/** A new template; it waits for its approval. */
export default function NewTemplatePage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const save = async (body: Record<string, unknown>) => {
    const { data, response } = await api.POST('/webhook/api/createTemplates.php', { body: body as never });
    await client.invalidateQueries();
    const isEnglish = response.headers.get('switchboard-warnings')?.includes('language_fallback') ?? false;
    notify(
      isEnglish ? 'Created in English (US), because this language is unknown' : 'Created. It is waiting for approval.',
    );
    await navigate({ to: `/templates/${String(data?.template_id ?? '')}` });
  };
  return (
    <Page title="New template" about="It is reviewed before it can be sent.">
      <TemplateForm values={NEW} submitLabel="Submit for review" onSave={save} />
    </Page>
  );
}
