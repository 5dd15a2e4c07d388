import { Plus } from 'lucide-react';
import { useState } from 'react';
import { $api } from '../api/client.js';
import { Button, DataTable, listQuery, Page, Time, useAddress } from '../ui/index.js';
import { ShownOnce } from './api-keys.js';
import { WEBHOOK_COLUMNS } from './webhook-columns.js';
import { WebhookForm } from './webhook-form.js';

const COLUMNS = [
  ...WEBHOOK_COLUMNS,
  { name: 'created', title: 'Created', cell: ({ created_at }: { created_at: string }) => <Time value={created_at} /> },
];

/** The own account's webhooks. */
export default function OwnWebhooksPage() {
  const [address] = useAddress();
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const query = $api.useQuery('get', '/v6/api/webhooks', { params: { query: listQuery(address) } });
  return (
    <Page
      title="Webhooks"
      about="Your servers receive every status as a signed POST."
      actions={
        <Button kind="primary" icon={Plus} onClick={() => setOpen(true)}>
          New webhook
        </Button>
      }
    >
      <DataTable
        label="Webhooks"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        rowTo={({ id }) => `/account/webhooks/${String(id)}`}
        empty={{ title: 'No webhooks', text: 'Add one to receive statuses as they happen.' }}
      />
      {isOpen && <WebhookForm webhook={null} onClose={() => setOpen(false)} onSaved={setSecret} />}
      {secret !== null && (
        <ShownOnce title="The secret of your webhook" secret={secret} what="secret" onClose={() => setSecret(null)} />
      )}
    </Page>
  );
}
