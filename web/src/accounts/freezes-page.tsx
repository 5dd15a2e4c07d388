import { $api, api, LIVE, type Schema } from '../api/client.js';
import {
  act,
  Button,
  type Column,
  confirm,
  Count,
  DataTable,
  Filters,
  Link,
  listQuery,
  Page,
  StatusBadge,
  Time,
  useAddress,
} from '../ui/index.js';
import { freezeReason } from './guard.js';
import { accountPath } from './names.js';

type Freeze = Schema<'FreezeData'>;

const isActive = ({ released_at: released, until }: Freeze): boolean =>
  released === null && Date.parse(until) > Date.now();

const release = ({ id, prefix, username }: Freeze) =>
  act({
    ask: () =>
      confirm({
        title: `Release +${prefix} for ${username}?`,
        text: 'The account may send to it again at once, and the prefix counts as known.',
        yes: 'Release',
      }),
    call: () => api.POST('/v6/api/admin/freezes/{id}/release', { params: { path: { id } } }),
    done: 'Released',
  });

const COLUMNS: readonly Column<Freeze>[] = [
  { name: 'time', title: 'Frozen', cell: ({ frozen_at }) => <Time value={frozen_at} /> },
  { name: 'account', title: 'Account', cell: ({ username }) => <Link to={accountPath(username)}>{username}</Link> },
  { name: 'prefix', title: 'Prefix', cell: ({ prefix }) => `+${prefix}` },
  {
    name: 'reason',
    title: 'Why',
    wide: true,
    cell: ({ reason, evidence }) =>
      `${freezeReason(reason)} (${Object.entries(evidence)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', ')})`,
  },
  { name: 'times', title: 'Times', align: 'end', cell: ({ times }) => <Count value={times} /> },
  {
    name: 'state',
    title: 'State',
    cell: (row) =>
      isActive(row) ? (
        <StatusBadge status="frozen" tone="bad" />
      ) : (
        <StatusBadge status={row.released_at === null ? 'ended' : 'released'} tone="good" />
      ),
  },
  { name: 'until', title: 'Until', cell: ({ until, released_at }) => <Time value={released_at ?? until} /> },
  {
    name: 'act',
    title: 'Actions',
    cell: (row) => (isActive(row) ? <Button onClick={() => void release(row)}>Release</Button> : null),
  },
];

const STATUSES = [
  ['', 'all'],
  ['active', 'frozen now'],
] as const;

/** Prefixes to which accounts do not send for a while. */
export default function FreezesPage() {
  const [address] = useAddress();
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/freezes',
    { params: { query: listQuery(address, 'status', 'username') } },
    LIVE,
  );
  return (
    <Page title="Freezes" about="Sending of an account to a prefix that looked like fraud; each ends after an hour.">
      <Filters
        filters={[
          { name: 'status', label: 'State', kind: 'choice', options: STATUSES },
          { name: 'username', label: 'Account', kind: 'search', placeholder: 'Full username' },
        ]}
      />
      <DataTable
        label="Freezes"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No freezes' }}
      />
    </Page>
  );
}
