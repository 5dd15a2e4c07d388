import { $api, type Schema } from '../api/client.js';
import { type Column, DataTable, Filters, listQuery, Page, Time, useAddress } from '../ui/index.js';
import { actionLabel, detailsText } from './names.js';

type Entry = Schema<'AuditEntryAnswer'>;

const COLUMNS: readonly Column<Entry>[] = [
  { name: 'time', title: 'Time', cell: ({ created_at }) => <Time value={created_at} seconds /> },
  {
    name: 'actor',
    title: 'Changed by',
    cell: ({ actor, assigned_user }) => (assigned_user === null ? actor : `${assigned_user} for ${actor}`),
  },
  { name: 'action', title: 'Action', cell: ({ action }) => actionLabel(action) },
  { name: 'subject', title: 'Object', cell: ({ subject }) => subject },
  { name: 'details', title: 'Details', cell: ({ details }) => detailsText(details) || '–', wide: true },
];

/** Who did what when. */
export default function AuditPage() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/admin/audit', {
    params: { query: listQuery(address, 'actor') },
  });
  return (
    <Page
      title="Audit log"
      about="Every change by staff, accounts and the system. Entries are never edited or deleted."
    >
      <Filters
        filters={[{ name: 'actor', label: 'Changed by', kind: 'search', placeholder: 'Full username, or system' }]}
      />
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No changes found' }}
      />
    </Page>
  );
}
