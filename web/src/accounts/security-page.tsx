import { $api, type Schema } from '../api/client.js';
import { type Column, Count, DataTable, Filters, listQuery, Page, StatusBadge, Time, useAddress } from '../ui/index.js';

type Entry = Schema<'SecurityEntryAnswer'>;

const COLUMNS: readonly Column<Entry>[] = [
  { name: 'time', title: 'Time', cell: ({ created_at }) => <Time value={created_at} seconds /> },
  {
    name: 'event',
    title: 'Action',
    cell: ({ event }) => (
      <StatusBadge
        status={event}
        text={event === 'login' ? 'logged in' : 'failed login'}
        tone={event === 'login' ? 'good' : 'bad'}
      />
    ),
  },
  { name: 'username', title: 'Name', cell: ({ username }) => username || '(not kept)', wide: true },
  { name: 'ip', title: 'From', cell: ({ ip }) => ip || '–' },
  { name: 'times', title: 'Times', align: 'end', cell: ({ times }) => <Count value={times} /> },
];

/** Who logged in or failed to, from where. */
export default function SecurityPage() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/admin/security-log', {
    params: { query: listQuery(address, 'username', 'ip') },
  });
  return (
    <Page title="Security log" about="Successful and failed logins of the last 90 days.">
      <Filters
        filters={[
          { name: 'username', label: 'Name', kind: 'search', placeholder: 'Full username' },
          { name: 'ip', label: 'Address', kind: 'search', placeholder: '203.0.113.7' },
        ]}
      />
      <DataTable
        label="Security log"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No logins found' }}
      />
    </Page>
  );
}
