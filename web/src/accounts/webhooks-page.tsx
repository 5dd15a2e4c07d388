import { $api } from '../api/client.js';
import { DataTable, Filters, listQuery, Page, useAddress } from '../ui/index.js';
import { HEALTH_COLUMNS, WEBHOOK_COLUMNS } from './webhook-columns.js';
import type { AnyWebhook } from './whose.js';

const [ADDRESS, STATE] = WEBHOOK_COLUMNS;
const COLUMNS = [
  ...(ADDRESS ? [ADDRESS] : []),
  { name: 'username', title: 'Account', cell: ({ username }: AnyWebhook) => username ?? '' },
  ...(STATE ? [STATE] : []),
  ...HEALTH_COLUMNS,
];

/** Webhooks of all accounts: which fail, since when, and how much waits for them. */
export default function WebhooksPage() {
  const [address] = useAddress();
  return (
    <Page title="Webhooks of all accounts" about="Failing webhooks across all accounts, and how many events wait.">
      <Filters
        filters={[
          { name: 'username', label: 'Account', kind: 'search', placeholder: 'Full username' },
          {
            name: 'status',
            label: 'Status',
            kind: 'choice',
            options: [
              ['active', 'Active'],
              ['disabled', 'Disabled'],
            ],
          },
          { name: 'failing', label: 'Failing', kind: 'choice', options: [['true', 'Failing now']] },
        ]}
      />
      <WebhooksOf query={listQuery(address, 'username', 'status', 'failing')} />
    </Page>
  );
}

/** A list of webhooks as staff see them. */
export function WebhooksOf({ query: wanted }: { query: object }) {
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/webhooks',
    { params: { query: wanted } },
    { refetchInterval: 10_000 },
  );
  return (
    <DataTable
      label="Webhooks"
      columns={COLUMNS}
      query={query}
      rowKey={({ id }) => id}
      rowTo={({ id }) => `/webhooks/${String(id)}`}
      empty={{ title: 'No webhooks' }}
    />
  );
}

/** Those of one account, on its page. */
export function AccountWebhooks({ username }: { username: string }) {
  const [address] = useAddress();
  return <WebhooksOf query={{ ...listQuery(address), username }} />;
}
