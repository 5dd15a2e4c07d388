import { useState } from 'react';
import { api, type Schema } from '../api/client.js';
import { Button, Dialog, Facts, Form, formatCount, StatusBadge, TextField, useServerForm } from '../ui/index.js';

const WORDS = {
  accepted: ['Accepted by the carrier', 'good'],
  rejected: ['Refused by the carrier', 'bad'],
  not_sent: ['Not sent', 'bad'],
  unknown: ['Possibly sent', 'warn'],
} as const;

/** One message over the route, and what the carrier says to it. */
export function TestDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const form = useServerForm<{ to: string; text: string }>({ to: '', text: '' });
  const [result, setResult] = useState<Schema<'RouteTestData'> | null>(null);
  const test = async ({ to, text }: { to: string; text: string }) => {
    setResult(null);
    const { data } = await api.POST('/v6/api/admin/routes/{name}/test', {
      params: { path: { name } },
      body: { to, text: text === '' ? null : text },
    });
    if (data !== undefined) setResult(data.data);
  };
  return (
    <Dialog title={`Test ${name}`} onClose={onClose}>
      <p className="dialog-text">Sends one message through this route only. It costs no credits.</p>
      <Form form={form} onSubmit={test} submitLabel="Send the test" actions={<Button onClick={onClose}>Close</Button>}>
        <TextField
          label="To"
          data-first
          inputMode="tel"
          hint="With the country code"
          error={form.errorOf('to')}
          {...form.register('to', { required: true })}
        />
        <TextField
          label="Text"
          hint="At most 160 characters. Leave empty for a text that names the route."
          error={form.errorOf('text')}
          {...form.register('text')}
        />
      </Form>
      <div role="status">
        {result !== null && (
          <Facts
            facts={[
              [
                'Outcome',
                <StatusBadge
                  key="o"
                  status={result.outcome}
                  tone={WORDS[result.outcome][1]}
                  text={WORDS[result.outcome][0]}
                />,
              ],
              ['Reason', result.reason],
              ['Code', result.error_code],
              ['Carrier id', result.provider_message_id],
              ['Request id', result.request_id],
              ['Duration', `${formatCount(result.seconds, 1)} s`],
            ]}
          />
        )}
      </div>
    </Dialog>
  );
}
