import { api, type Schema } from '../api/client.js';
import { Button, CheckField, Dialog, Form, notify, TextField, useServerForm } from '../ui/index.js';
import { EVENT_TYPES, type EventType } from './event-types.js';
import { useRefresh } from './refresh.js';

interface Values {
  url: string;
  /** `events` of the API, so that its refusals find their place */
  events: string[];
}

/** Makes a webhook, or changes one. @param onSaved gets the secret of a new one */
export function WebhookForm({
  webhook,
  onClose,
  onSaved,
}: {
  webhook: Schema<'WebhookData'> | null;
  onClose: () => void;
  onSaved?: (secret: string) => void;
}) {
  const form = useServerForm<Values>({
    url: webhook?.url ?? 'https://',
    events: [...(webhook?.events ?? EVENT_TYPES.map(([type]) => type))],
  });
  const refresh = useRefresh();
  const save = async ({ url, events }: Values) => {
    const body = { url, events: events as EventType[] };
    if (webhook === null) {
      const { data } = await api.POST('/v6/api/webhooks', { body });
      onSaved?.((data as Schema<'SecretWebhookAnswer'>).data.secret);
    } else {
      await api.PATCH('/v6/api/webhooks/{id}', { params: { path: { id: webhook.id } }, body });
      notify('Webhook saved');
    }
    onClose();
    await refresh();
  };
  return (
    <Dialog title={webhook === null ? 'New webhook' : 'Change the webhook'} onClose={onClose} wide>
      <Form
        form={form}
        onSubmit={save}
        submitLabel={webhook === null ? 'Create the webhook' : 'Save'}
        actions={<Button onClick={onClose}>Back</Button>}
      >
        <TextField
          label="Address"
          type="url"
          data-first
          hint="Where events are sent by POST, signed with the secret of the webhook"
          {...form.register('url')}
          error={form.errorOf('url')}
        />
        <fieldset className="field">
          <legend>Events</legend>
          {EVENT_TYPES.map(([type, text]) => (
            <CheckField key={type} label={`${text} (${type})`} value={type} {...form.register('events')} />
          ))}
          {form.errorOf('events') !== undefined && <div className="fault">{form.errorOf('events')}</div>}
        </fieldset>
      </Form>
    </Dialog>
  );
}
