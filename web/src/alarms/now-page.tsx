import { $api, LIVE, type Schema } from '../api/client.js';
import {
  Chart,
  type Column,
  Count,
  DataTable,
  Link,
  LoadState,
  Page,
  Section,
  Share,
  StatusBadge,
  formatCount,
  formatSpan,
} from '../ui/index.js';
import { SHOWN, urgentFirst, useActiveAlarms } from './active-alarms.js';
import { AlarmCard } from './alarm-card.js';
import { FrozenAccounts } from './frozen-accounts.js';
import './alarms.css';

type Campaign = Schema<'StaffCampaignAnswer'>;
type Statistics = Schema<'StatisticsAnswerData'>;

const SLOWLY = { refetchInterval: 15_000 } as const;
/** States of a route over which not everything leaves; one that staff stopped is stopped on purpose. */
const TROUBLED: ReadonlySet<string> = new Set(['down', 'degraded']);

/** The first page of staff: what is wrong now, what runs, what leaves, and what waits for a review. */
export default function NowPage() {
  return (
    <Page title="Now" about="What is wrong, what leaves, what runs, and what waits for a review.">
      <Wrong />
      <FrozenAccounts />
      <OpenAccounts />
      <Throughput />
      <Running />
      <Waiting />
    </Page>
  );
}

/** Alarms, and what is wrong although no alarm was raised for it (yet): routes that do not carry, endpoints that fail. */
function Wrong() {
  const alarms = useActiveAlarms();
  const routes = $api.useQuery('get', '/v6/api/admin/routes/status', { params: { query: { limit: SHOWN } } }, SLOWLY);
  const failing = $api.useQuery(
    'get',
    '/v6/api/admin/webhooks',
    { params: { query: { failing: 'true', limit: SHOWN } } },
    SLOWLY,
  );
  const bad = routes.data?.data.filter(({ state }) => TROUBLED.has(state));
  const endpoints = failing.data?.data;
  const isFine = alarms.data?.data.length === 0 && bad?.length === 0 && endpoints?.length === 0;
  return (
    <Section title="What is wrong" actions={<Link to="/alarms">All alarms</Link>}>
      <LoadState query={alarms}>
        {({ data }) => (
          <div className="alarms">
            {urgentFirst(data).map((alarm) => (
              <AlarmCard key={alarm.id} alarm={alarm} />
            ))}
          </div>
        )}
      </LoadState>
      <LoadState query={routes}>
        {() =>
          bad === undefined || bad.length === 0 ? null : (
            <ul aria-label="Routes in trouble">
              {bad.map(({ name, state, summary }) => (
                <li key={name}>
                  <Link to={`/routes/${encodeURIComponent(name)}`}>{name}</Link> <StatusBadge status={state} />{' '}
                  {summary ?? ''}
                </li>
              ))}
            </ul>
          )
        }
      </LoadState>
      <LoadState query={failing}>
        {({ data, next_cursor: next }) =>
          data.length === 0 ? null : (
            <p>
              <Link to="/webhooks" search={{ failing: 'true' }}>
                {next === null ? '' : 'At least '}
                {formatCount(data.length)} {data.length === 1 ? 'endpoint fails' : 'endpoints fail'}
              </Link>
            </p>
          )
        }
      </LoadState>
      {isFine && <p className="all-well">Nothing is wrong.</p>}
    </Section>
  );
}

/** Accounts whose credits anybody can spend who knows a username; nothing where there are none. */
function OpenAccounts() {
  const { data } = $api.useQuery('get', '/v6/api/admin/open-accounts', {}, SLOWLY);
  if (data === undefined || data.data.accounts === 0) return null;
  const { accounts, undecided } = data.data;
  return (
    <p className="card" role="status">
      {formatCount(accounts)} {accounts === 1 ? 'account sends by its' : 'accounts send by their'} username alone,
      without a token; {formatCount(undecided)} of them without the owner’s choice. <Link to="/accounts">Accounts</Link>
    </p>
  );
}

function Throughput() {
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/statistics',
    { params: { query: { range: 'hour', by: 'channel' } } },
    SLOWLY,
  );
  return (
    <Section title="What leaves" actions={<Link to="/charts">Charts</Link>}>
      <LoadState query={query}>
        {({ data }) =>
          data.series.length === 0 ? (
            <p className="muted">Nothing was sent in the last hour.</p>
          ) : (
            <>
              <Totals data={data} />
              <Chart
                title="Messages a minute, by channel"
                times={timesOf(data)}
                lines={data.series.map(({ key, points }) => ({ label: key, values: sentOf(data, points) }))}
                format={(value) => formatCount(value)}
              />
            </>
          )
        }
      </LoadState>
    </Section>
  );
}

function Totals({ data }: { data: Statistics }) {
  return (
    <div className="table-box" role="group" aria-label="The last hour, by channel" tabIndex={0}>
      <table className="table plain">
        <thead>
          <tr>
            <th scope="col">Last hour</th>
            <th scope="col" className="end">
              Sent
            </th>
            <th scope="col" className="end">
              Arrived
            </th>
            <th scope="col" className="end">
              Refused
            </th>
            <th scope="col" className="end">
              Delay
            </th>
          </tr>
        </thead>
        <tbody>
          {data.series.map(({ key, totals }) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td className="end">
                <Count value={totals.sent} />
              </td>
              <td className="end">
                <Share value={totals.delivery_rate} />
              </td>
              <td className="end">
                <Count value={totals.refused} />
              </td>
              <td className="end">{formatSpan(totals.delay_seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Every step of the range, in seconds; the last one is still under way. */
function timesOf({ from, to, step_seconds: step }: Statistics): number[] {
  const first = Date.parse(from) / 1000;
  const steps = Math.round((Date.parse(to) / 1000 - first) / step);
  return Array.from({ length: steps }, (_, at) => first + at * step);
}

/** Steps without anything are left out of an answer: they are 0. */
function sentOf(data: Statistics, points: Statistics['series'][number]['points']): number[] {
  const sent = new Map(points.map((point) => [Date.parse(point.at) / 1000, point.sent]));
  return timesOf(data).map((time) => sent.get(time) ?? 0);
}

const COLUMNS: readonly Column<Campaign>[] = [
  { name: 'name', title: 'Campaign', cell: (row) => row.broadcast_name, wide: true },
  { name: 'account', title: 'Account', cell: (row) => row.username },
  { name: 'channel', title: 'Channel', cell: ({ channel }) => channel },
  { name: 'state', title: 'State', cell: ({ state }) => <StatusBadge status={state} /> },
  { name: 'rows', title: 'Recipients', align: 'end', cell: (row) => <Count value={row.total_rows} /> },
];

function Running() {
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/campaigns',
    { params: { query: { state: 'running', limit: 10 } } },
    LIVE,
  );
  const rows = { ...query, data: query.data?.data };
  return (
    <Section
      title="What runs"
      actions={
        <Link to="/campaigns" search={{ state: 'running' }}>
          All that run
        </Link>
      }
    >
      <DataTable
        label="Running campaigns"
        columns={COLUMNS}
        query={rows}
        rowKey={(row) => row.request_id}
        rowTo={(row: Campaign) => `/campaigns/${encodeURIComponent(row.request_id)}`}
        empty={{ title: 'No campaign runs' }}
      />
    </Section>
  );
}

const ONE = { limit: 1 };

/** How much waits in each list of reviews, and the way to it. */
function Waiting() {
  const voice = $api.useQuery(
    'get',
    '/v6/api/admin/campaigns',
    { params: { query: { ...ONE, state: 'pending_approval' } } },
    SLOWLY,
  );
  const templates = $api.useQuery(
    'get',
    '/v6/api/admin/templates',
    { params: { query: { ...ONE, status: 'pending' } } },
    SLOWLY,
  );
  const profiles = $api.useQuery(
    'get',
    '/v6/api/admin/profile-requests',
    { params: { query: { ...ONE, status: 'pending' } } },
    SLOWLY,
  );
  const senders = $api.useQuery(
    'get',
    '/v6/api/admin/sender-ids',
    { params: { query: { ...ONE, status: 'pending' } } },
    SLOWLY,
  );
  const lists = [
    ['Voice campaigns', voice, '/reviews/voice'],
    ['Templates', templates, '/reviews/templates'],
    ['Display names', profiles, '/reviews/profile-requests'],
    ['Sender ids', senders, '/reviews/sender-ids'],
  ] as const;
  return (
    <Section title="What waits for a review">
      <LoadState query={voice}>
        {() => (
          <ul className="waiting-reviews">
            {lists.map(([name, { data }, path]) => (
              <li key={name}>
                <Link to={path}>{name}</Link>
                <strong>
                  <Count value={data?.total} />
                </strong>
              </li>
            ))}
          </ul>
        )}
      </LoadState>
    </Section>
  );
}
