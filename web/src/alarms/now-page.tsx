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
import { Problems } from './problems.js';
import { Today } from './today.js';
import './alarms.css';

type Campaign = Schema<'StaffCampaignAnswer'>;
type Statistics = Schema<'StatisticsAnswerData'>;

const SLOWLY = { refetchInterval: 15_000 } as const;

/** The first page of staff: what is wrong now, what runs, what leaves, and what waits for a review. */
export default function NowPage() {
  return (
    <Page title="Now" about="Problems, traffic, running campaigns and open reviews.">
      <Problems />
      <Today />
      <Throughput />
      <Running />
      <Waiting />
    </Page>
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
    <Section title="Traffic" actions={<Link to="/charts">Charts</Link>}>
      <LoadState query={query}>
        {({ data }) =>
          data.series.length === 0 ? (
            <p className="muted">Nothing was sent in the last hour.</p>
          ) : (
            <>
              <Totals data={data} />
              <Chart
                title="Messages per minute, by channel"
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
              Delivered
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
      title="Running campaigns"
      actions={
        <Link to="/campaigns" search={{ state: 'running' }}>
          All running campaigns
        </Link>
      }
    >
      <DataTable
        label="Running campaigns"
        columns={COLUMNS}
        query={rows}
        rowKey={(row) => row.request_id}
        rowTo={(row: Campaign) => `/campaigns/${encodeURIComponent(row.request_id)}`}
        empty={{ title: 'No campaigns running' }}
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
    <Section title="Waiting for review">
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
