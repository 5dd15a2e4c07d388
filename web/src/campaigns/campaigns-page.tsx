import { $api, LIVE, type Schema } from '../api/client.js';
import { useMe } from '../app/session.js';
import {
  type Column,
  Count,
  DataTable,
  type Filter,
  Filters,
  formatCount,
  listQuery,
  type Loaded,
  Page,
  Progress,
  StatusBadge,
  useAddress,
  useTimeZone,
} from '../ui/index.js';
import { figuresOf } from './figures.js';
import { CarriedBy, type RouteStates, useRouteStates } from './route-state.js';
import { CHANNELS, channelTitle, gone, LocalTime, PHASES } from './words.js';
import './campaigns.css';

type Row = Schema<'CampaignData'> & { username?: string };

const columnsOf = (states: RouteStates | null, zone: string): readonly Column<Row>[] => [
  {
    name: 'name',
    title: 'Campaign',
    wide: true,
    cell: (row) => (
      <>
        {row.broadcast_name}
        <code className="under">{row.request_id}</code>
      </>
    ),
  },
  {
    name: 'phase',
    title: 'State',
    cell: (row) => (
      <>
        <StatusBadge status={row.phase} />
        {row.test && <StatusBadge status="test" />}
        {row.in_doubt > 0 && <span className="under">{formatCount(row.in_doubt)} possibly sent</span>}
      </>
    ),
  },
  { name: 'channel', title: 'Channel', cell: (row) => channelTitle(row.channel) },
  { name: 'route', title: 'Route', cell: (row) => <CarriedBy campaign={row} states={states} /> },
  { name: 'recipients', title: 'Recipients', align: 'end', cell: (row) => <Count value={row.total_rows} /> },
  {
    name: 'left',
    title: 'Sent so far',
    cell: (row) => <Progress done={gone(row)} total={row.total_rows} label={`Sent so far of ${row.broadcast_name}`} />,
  },
  {
    name: 'delivered',
    title: 'Delivered',
    align: 'end',
    cell: (row) => <Count value={figuresOf({ ...row, failure_reasons: [] }).delivered} />,
  },
  { name: 'failed', title: 'Failed', align: 'end', cell: (row) => <Count value={row.status_counts['FAILED'] ?? 0} /> },
  { name: 'created', title: 'Accepted', cell: (row) => <LocalTime value={row.created_at} zone={zone} /> },
  { name: 'scheduled', title: 'Starts', cell: (row) => <LocalTime value={row.scheduled_at} zone={zone} /> },
];
const ACCOUNT: Column<Row> = { name: 'account', title: 'Account', cell: (row) => row.username ?? '' };

const KEYS = [
  ['false', 'Live'],
  ['true', 'Test keys'],
] as const;

const filtersOf = (routes: readonly string[] | null): readonly Filter[] => [
  { name: 'state', label: 'State', kind: 'choice', options: PHASES },
  { name: 'channel', label: 'Channel', kind: 'choice', options: CHANNELS },
  routes === null
    ? { name: 'route', label: 'Route', kind: 'search', placeholder: 'Full name' }
    : { name: 'route', label: 'Route', kind: 'choice', options: routes.map((name) => [name, name] as const) },
  ...(routes === null
    ? [{ name: 'test', label: 'Sent with', kind: 'choice', options: KEYS, usual: 'false' } as const]
    : [{ name: 'username', label: 'Account', kind: 'search', placeholder: 'Full username' } as const]),
  { name: 'from', label: 'From', kind: 'date' },
  { name: 'to', label: 'To', kind: 'date' },
  { name: 'search', label: 'Name or request id', kind: 'search' },
];
const NAMES = ['test', 'state', 'channel', 'route', 'username', 'from', 'to', 'search'];

/** Campaigns, newest first; all filters stand in the address. */
export default function CampaignsPage() {
  return useMe().pages === 'staff' ? <OfAllAccounts /> : <Own />;
}

function OfAllAccounts() {
  const [address] = useAddress();
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/campaigns',
    { params: { query: listQuery(address, ...NAMES) } },
    LIVE,
  );
  const states = useRouteStates();
  const [name, ...others] = columnsOf(states, useTimeZone());
  return (
    <Campaigns
      query={query}
      columns={[...(name === undefined ? [] : [name]), ACCOUNT, ...others]}
      filters={filtersOf([...(states?.keys() ?? [])])}
    />
  );
}

function Own() {
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/campaigns', { params: { query: listQuery(address, ...NAMES) } }, LIVE);
  return <Campaigns query={query} columns={columnsOf(null, useTimeZone())} filters={filtersOf(null)} />;
}

function Campaigns({
  query,
  columns,
  filters,
}: {
  query: Loaded<{ data: Row[]; total: number; next_cursor: string | null }>;
  columns: readonly Column<Row>[];
  filters: readonly Filter[];
}) {
  const [address] = useAddress();
  const isFiltered = NAMES.some((name) => (address[name] ?? '') !== '');
  return (
    <Page title="Campaigns" about={`Newest first. Times are in the zone ${useTimeZone()}.`}>
      <Filters filters={filters} />
      <DataTable
        label="Campaigns"
        columns={columns}
        query={query}
        rowKey={({ request_id }) => request_id}
        rowTo={({ request_id }) => `/campaigns/${encodeURIComponent(request_id)}`}
        empty={
          isFiltered
            ? { title: 'No campaign matches', text: 'Clear a filter, or go to the next page.' }
            : { title: 'No campaigns yet', text: 'Your campaigns appear here.' }
        }
      />
    </Page>
  );
}
