import { UserPlus } from 'lucide-react';
import { $api, type Schema } from '../api/client.js';
import {
  type Column,
  DataTable,
  Filters,
  Link,
  listQuery,
  Page,
  StatusBadge,
  Time,
  useAddress,
  MadeBy,
} from '../ui/index.js';
import { accountPath } from './names.js';

type Account = Schema<'ManagedAccountAnswer'>;

const COLUMNS: readonly Column<Account>[] = [
  { name: 'username', title: 'Username', cell: ({ username }) => username },
  { name: 'name', title: 'Name', cell: ({ name }) => name || '–', wide: true },
  { name: 'kind', title: 'Kind', cell: ({ user_type }) => user_type ?? 'client' },
  {
    name: 'state',
    title: 'State',
    cell: ({ is_active }) =>
      is_active ? <StatusBadge status="open" tone="good" /> : <StatusBadge status="closed" tone="off" />,
  },
  {
    name: 'expires',
    title: 'Expires',
    cell: ({ expires_at }) => (expires_at === null ? 'never' : <Time value={expires_at} />),
  },
  { name: 'parent', title: 'Reseller', cell: ({ parent_username }) => parent_username ?? '–' },
  { name: 'plan', title: 'Rate plan', cell: ({ rate_plan }) => rate_plan ?? '–' },
  { name: 'email', title: 'E-mail', cell: ({ email }) => email ?? '–', wide: true },
  { name: 'maker', title: 'Created by', cell: (row) => <MadeBy maker={row.created_by} />, wide: true },
  { name: 'created', title: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
];

/** Accounts of the house; of a reseller its clients. */
export default function AccountsPage() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/admin/accounts', {
    params: { query: listQuery(address, 'search') },
  });
  return (
    <Page
      title="Accounts"
      actions={
        <Link needs="manage" to="/new-account" className="button primary">
          <UserPlus size={16} aria-hidden /> New account
        </Link>
      }
    >
      <Filters
        filters={[{ name: 'search', label: 'Search', kind: 'search', placeholder: 'Username, e-mail, number or name' }]}
      />
      <DataTable
        label="Accounts"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        rowTo={({ username }) => accountPath(username)}
        empty={{
          title: 'No account found',
          text: 'The search covers the newest accounts first. Choose Next to search older ones.',
        }}
      />
    </Page>
  );
}
