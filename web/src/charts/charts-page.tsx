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
import { TrafficCharts } from './traffic-charts.js';

const RANGES = { hour: 'Last hour', day: 'Last day', month: 'Last month' } as const;
type Range = keyof typeof RANGES;
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
  const range: Range =
    address['range'] !== undefined && address['range'] in RANGES ? (address['range'] as Range) : 'hour';
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
  return (
    <Page title="Charts" about="What was sent and what became of it, from stored counters.">
      <Filters
        filters={[
          {
            name: 'range',
            label: 'Time',
            kind: 'choice',
            options: Object.entries(RANGES),
            usual: 'hour',
          },
          ...(isStaff
            ? [{ name: 'by', label: 'By', kind: 'choice' as const, options: Object.entries(GROUPS), usual: 'channel' }]
            : []),
          { name: 'key', label: `One ${GROUPS[by].toLowerCase()}`, kind: 'search' },
        ]}
      />
      <LoadState query={query}>
        {({ data }) => (
          <>
            <Section title={`${RANGES[range]}, by ${GROUPS[by].toLowerCase()}`}>
              <TrafficCharts statistics={data} />
            </Section>
            <Section title="Sums">
              <DataTable
                label="Sums of each"
                columns={COLUMNS}
                query={{ ...query, data: data.series }}
                rowKey={(series) => series.key}
                empty={{ title: 'Nothing was sent in this time' }}
              />
            </Section>
          </>
        )}
      </LoadState>
    </Page>
  );
}
