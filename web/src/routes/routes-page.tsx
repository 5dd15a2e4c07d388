import { $api, LIVE, type Schema } from '../api/client.js';
import {
  type Column,
  Count,
  DataTable,
  Filters,
  formatSpan,
  Link,
  Page,
  Share,
  StatusBadge,
  Time,
  useAddress,
} from '../ui/index.js';

import './routes.css';

type Status = Schema<'RouteStatusData'>;

/** What needs somebody stands first. */
const ORDER: readonly Status['state'][] = ['down', 'degraded', 'stopped', 'unknown', 'up'];

const COLUMNS: readonly Column<Status>[] = [
  {
    name: 'name',
    title: 'Route',
    cell: ({ name }) => <span className="route-name">{name}</span>,
    sortBy: ({ name }) => name,
  },
  {
    name: 'state',
    title: 'State',
    cell: ({ state }) => <StatusBadge status={state} />,
    sortBy: ({ state }) => ORDER.indexOf(state),
  },
  { name: 'since', title: 'Since', cell: ({ since }) => <Time value={since} /> },
  { name: 'summary', title: 'Problem', cell: ({ summary }) => summary ?? '–', wide: true },
  {
    name: 'channel',
    title: 'Channel',
    cell: ({ channel, is_default }) => `${channel}${is_default ? ' (default)' : ''}`,
  },
  {
    name: 'waiting',
    title: 'Waiting',
    align: 'end',
    cell: ({ waiting, waiting_is_capped }) => (
      <>
        <Count value={waiting} />
        {waiting_is_capped && '+'}
      </>
    ),
    sortBy: ({ waiting }) => waiting,
  },
  {
    name: 'oldest',
    title: 'Oldest',
    align: 'end',
    cell: ({ oldest_due_seconds }) => formatSpan(oldest_due_seconds),
    sortBy: ({ oldest_due_seconds }) => oldest_due_seconds ?? 0,
  },
  {
    name: 'speed',
    title: 'Per second',
    align: 'end',
    cell: ({ throughput_per_second }) => <Count value={throughput_per_second} digits={1} />,
    sortBy: ({ throughput_per_second }) => throughput_per_second,
  },
  {
    name: 'rate',
    title: 'Delivered',
    align: 'end',
    cell: ({ delivery_rate }) => <Share value={delivery_rate} />,
    sortBy: ({ delivery_rate }) => delivery_rate ?? 2,
  },
  {
    name: 'receipt',
    title: 'Last receipt',
    align: 'end',
    cell: ({ newest_receipt_age_seconds: age }) => (age === null ? '–' : `${formatSpan(age)} ago`),
  },
  {
    name: 'binds',
    title: 'Binds',
    align: 'end',
    cell: ({ binds }) => (binds === null ? '–' : `${String(binds.bound)} / ${String(binds.wanted)}`),
  },
  {
    name: 'unmatched',
    title: 'Unmatched',
    align: 'end',
    cell: ({ unmatched_receipts }) => <Count value={unmatched_receipts} />,
    sortBy: ({ unmatched_receipts }) => unmatched_receipts,
  },
];

/** All routes, those that need somebody first. */
export default function RoutesPage() {
  const [{ state, channel }] = useAddress();
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/routes/status',
    { params: { query: { limit: 1000 } } },
    {
      ...LIVE,
      select: ({ data }) =>
        data
          .filter((route) => (state ?? route.state) === route.state && (channel ?? route.channel) === route.channel)
          .sort(
            (a, b) =>
              ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || b.waiting - a.waiting || a.name.localeCompare(b.name),
          ),
    },
  );
  return (
    <Page
      title="Routes"
      about="Connections to carriers. Routes with problems come first."
      actions={
        <Link needs="manage" to="/new-route">
          New route
        </Link>
      }
    >
      <Filters
        filters={[
          { name: 'state', label: 'State', kind: 'choice', options: ORDER.map((word) => [word, word] as const) },
          {
            name: 'channel',
            label: 'Channel',
            kind: 'choice',
            options: [
              ['sms', 'sms'],
              ['unofficial', 'unofficial'],
              ['voice', 'voice'],
            ],
          },
        ]}
      />
      <DataTable
        label="Routes"
        columns={COLUMNS}
        query={query}
        rowKey={({ name }) => name}
        rowTo={({ name }) => `/routes/${encodeURIComponent(name)}`}
        empty={{ title: 'No routes', text: 'Add a route before anything can be sent.' }}
      />
    </Page>
  );
}
