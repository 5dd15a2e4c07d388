import { $api, type Schema } from '../api/client.js';
import { type Column, Count, DataTable, type Filter, Filters, Page, useAddress } from '../ui/index.js';

type Row = Schema<'MarginRowData'>;
const GROUPS = ['day', 'account', 'channel', 'prefix', 'route'] as const;

const COLUMNS: readonly Column<Row>[] = [
  { name: 'key', title: 'Of', cell: ({ key }) => key, wide: true, sortBy: ({ key }) => key },
  {
    name: 'charged',
    title: 'Charged',
    align: 'end',
    cell: ({ charged_credits }) => <Count value={charged_credits} />,
    sortBy: ({ charged_credits }) => charged_credits ?? -1,
  },
  {
    name: 'refunded',
    title: 'Refunded',
    align: 'end',
    cell: ({ refunded_credits }) => <Count value={refunded_credits} />,
  },
  {
    name: 'credits',
    title: 'Credits',
    align: 'end',
    cell: ({ credits }) => <Count value={credits} />,
    sortBy: ({ credits }) => credits ?? -1,
  },
  {
    name: 'costs',
    title: 'Costs',
    align: 'end',
    cell: ({ costs }) =>
      costs.length === 0 ? 'unknown' : costs.map(({ cost, currency }) => `${cost} ${currency}`).join(', '),
  },
  { name: 'value', title: 'Value', align: 'end', cell: ({ value }) => value ?? '–' },
  {
    name: 'margin',
    title: 'Margin',
    align: 'end',
    cell: ({ margin, value }) => margin ?? (value === null ? '–' : 'unknown'),
  },
];

const FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', kind: 'date' },
  { name: 'to', label: 'To', kind: 'date' },
  { name: 'group', label: 'By', kind: 'choice', options: GROUPS.map((word) => [word, word] as const), usual: 'day' },
  { name: 'credit_value', label: 'Value of a credit', kind: 'search', placeholder: '0.012' },
  { name: 'currency', label: 'Currency', kind: 'search', placeholder: 'EUR' },
];

/** What accounts were charged, beside what the carriers ask. */
export default function MarginPage() {
  const [{ from, to, group, credit_value, currency }] = useAddress();
  const chosen = GROUPS.find((word) => word === group);
  const hasValue = (credit_value ?? '') !== '' && (currency ?? '') !== '';
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/margin',
    {
      params: {
        query: {
          ...(from !== undefined && from !== '' && { from }),
          ...(to !== undefined && to !== '' && { to }),
          ...(chosen && { group: chosen }),
          ...(hasValue && { credit_value, currency }),
        },
      },
    },
    { retry: false, select: (answer) => (typeof answer === 'string' ? [] : answer.data) },
  );
  return (
    <Page
      title="Margin"
      about="Credits charged to accounts compared with carrier costs. Enter the value of a credit and its currency to see the margin."
    >
      <Filters filters={FILTERS} />
      <DataTable
        label="Margin"
        columns={COLUMNS}
        query={query}
        rowKey={({ key }) => key}
        empty={{ title: 'No charges or costs in this period' }}
      />
    </Page>
  );
}
