import { $api } from '../api/client.js';
import { useMe } from '../app/session.js';
import {
  Count,
  DataTable,
  type Column,
  Filters,
  formatSpan,
  LoadState,
  Page,
  Section,
  Share,
  useAddress,
} from '../ui/index.js';
import type { Schema } from '../api/client.js';
import { CHANNELS } from '../campaigns/words.js';
import { rangeFilter, RANGES, useRange } from './range.js';
import { TrafficCharts } from './traffic-charts.js';

const GROUPS = { channel: 'Channel', route: 'Route', account: 'Account' } as const;
type Group = keyof typeof GROUPS;

const SLOW = { refetchInterval: 15_000 } as const;

const COLUMNS: readonly Column<Schema<'SeriesAnswer'>>[] = [
  { name: 'key', title: 'Of', cell: ({ key }) => key, wide: true },
  { name: 'sent', title: 'Sent', align: 'end', cell: ({ totals }) => <Count value={totals.sent} /> },
  { name: 'delivered', title: 'Delivered', align: 'end', cell: ({ totals }) => <Count value={totals.delivered} /> },
  { name: 'failed', title: 'Failed', align: 'end', cell: ({ totals }) => <Count value={totals.failed} /> },
  { name: 'refused', title: 'Refused', align: 'end', cell: ({ totals }) => <Count value={totals.refused} /> },
  { name: 'rate', title: 'Delivery rate', align: 'end', cell: ({ totals }) => <Share value={totals.delivery_rate} /> },
  { name: 'delay', title: 'Delay', align: 'end', cell: ({ totals }) => formatSpan(totals.delay_seconds) },
];

/** What was sent and what became of it: of all accounts for staff, else of the own one. */
export default function ChartsPage() {
  const { pages } = useMe();
  const isStaff = pages === 'staff';
  const [address] = useAddress();
  const range = useRange('hour');
  const by: Group =
    isStaff && address['by'] !== undefined && address['by'] in GROUPS ? (address['by'] as Group) : 'channel';
  const key = address['key'] ?? '';
  const wanted = { range, ...(key === '' ? {} : { key }) };
  const ofAll = $api.useQuery(
    'get',
    '/v6/api/admin/statistics',
    { params: { query: { ...wanted, by } } },
    { ...SLOW, enabled: isStaff },
  );
  const own = $api.useQuery(
    'get',
    '/v6/api/account/statistics',
    { params: { query: wanted } },
    { ...SLOW, enabled: !isStaff },
  );
  const query = isStaff ? ofAll : own;
  const routes = $api.useQuery(
    'get',
    '/v6/api/admin/routes',
    { params: { query: { limit: 1000 } } },
    { enabled: by === 'route' },
  );
  // accounts are too many for a list
  const keys = {
    // session messages are counted beside the campaigns
    channel: [...CHANNELS, ['session', 'Session messages'] as const],
    route: (routes.data?.data ?? []).map(({ name }) => [name, name] as const),
    account: null,
  }[by];
  return (
    <Page title="Charts" about="Messages sent, delivered and failed over time.">
      <Filters
        filters={[
          rangeFilter('hour'),
          ...(isStaff
            ? [
                {
                  name: 'by',
                  label: 'By',
                  kind: 'choice' as const,
                  options: Object.entries(GROUPS),
                  usual: 'channel',
                  clears: ['key'],
                },
              ]
            : []),
          keys === null
            ? { name: 'key', label: 'One account', kind: 'search', placeholder: 'Full username' }
            : { name: 'key', label: `One ${GROUPS[by].toLowerCase()}`, kind: 'choice', options: keys },
        ]}
      />
      <LoadState query={query}>
        {({ data }) => (
          <>
            <Section title={`${RANGES[range]}, by ${GROUPS[by].toLowerCase()}`}>
              <TrafficCharts statistics={data} />
            </Section>
            <Section title="Totals">
              <DataTable
                label="Totals by group"
                columns={COLUMNS}
                query={{ ...query, data: data.series }}
                rowKey={(series) => series.key}
                empty={{ title: 'Nothing was sent in this period' }}
              />
            </Section>
          </>
        )}
      </LoadState>
    </Page>
  );
}
