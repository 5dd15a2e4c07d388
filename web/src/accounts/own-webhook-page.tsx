import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, api, type Schema } from '../api/client.js';
import { Button, confirm, Facts, LoadState, notify, notifyFault, Page, Section, Time, useParam } from '../ui/index.js';
import { ShownOnce } from './api-keys.js';
import { Attempts } from './attempts.js';
import { useChange, useRefresh } from './refresh.js';
import { webhookState } from './webhook-columns.js';
import { WebhookForm } from './webhook-form.js';

type Webhook = Schema<'WebhookData'>;

/** One of the own webhooks: what became of its events, and what can be done with it. */
export default function OwnWebhookPage() {
  const id = Number(useParam('id'));
  const query = $api.useQuery('get', '/v6/api/webhooks/{id}', { params: { path: { id } } });
  return (
    <LoadState query={query}>
      {({ data }) => (
        <Page title="Webhook" about={data.url} actions={<Actions webhook={data} />}>
          <Section title="About">
            <Facts
              facts={[
                ['State', webhookState(data)],
                ['Events', data.events.join(', ')],
                ['Created', <Time key="created" value={data.created_at} />],
                ['Changed', <Time key="changed" value={data.updated_at} />],
              ]}
            />
          </Section>
          <Section title="Delivery attempts">
            <Attempts side="owner" id={id} />
          </Section>
        </Page>
      )}
    </LoadState>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const { id, status } = webhook;
  const [isChanging, setChanging] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const change = useChange();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const path = { params: { path: { id } } };
  const setStatus = (next: Webhook['status']) =>
    change(
      () => api.PATCH('/v6/api/webhooks/{id}', { ...path, body: { status: next } }),
      next === 'active' ? 'The webhook is active again' : 'The webhook is off',
    );
  const test = async () => {
    try {
      const { data } = await api.POST('/v6/api/webhooks/{id}/test', { ...path, body: {} });
      const { delivered, status_code, error } = (data as Schema<'WebhookTestAnswer'>).data;
      if (delivered) notify(`The test event was delivered: ${String(status_code)}`);
      else notifyFault(new Error(error ?? 'no answer'), 'The test event was not delivered');
    } catch (error) {
      notifyFault(error);
    }
    await refresh();
  };
  const rotate = async () => {
    const isSure = await confirm({
      title: 'Create a new secret?',
      text: 'The current secret also signs for another 24 hours. Update your program by then.',
      yes: 'Create a new secret',
    });
    if (!isSure) return;
    try {
      const { data } = await api.POST('/v6/api/webhooks/{id}/rotate-secret', path);
      setSecret((data as Schema<'SecretWebhookAnswer'>).data.secret);
    } catch (error) {
      notifyFault(error);
    }
  };
  const remove = async () => {
    const isSure = await confirm({
      title: 'Delete this webhook?',
      text: 'Events that wait for it are dropped. This cannot be undone.',
      yes: 'Delete the webhook',
    });
    if (isSure && (await change(() => api.DELETE('/v6/api/webhooks/{id}', path), 'Webhook deleted')))
      await navigate({ to: '/account/webhooks' });
  };
  return (
    <>
      {status === 'active' ? (
        <>
          <Button kind="primary" onClick={() => void test()}>
            Send a test event
          </Button>
          <Button onClick={() => void setStatus('disabled')}>Turn off</Button>
        </>
      ) : (
        <Button kind="primary" onClick={() => void setStatus('active')}>
          Turn on
        </Button>
      )}
      <Button onClick={() => setChanging(true)}>Change</Button>
      <Button onClick={() => void rotate()}>New secret</Button>
      <Button kind="danger" onClick={() => void remove()}>
        Delete
      </Button>
      {isChanging && <WebhookForm webhook={webhook} onClose={() => setChanging(false)} />}
      {secret !== null && (
        <ShownOnce title="The new secret" secret={secret} what="secret" onClose={() => setSecret(null)} />
      )}
    </>
  );
}
