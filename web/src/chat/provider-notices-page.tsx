import { $api, type Schema } from '../api/client.js';
import {
  type Column,
  Count,
  DataTable,
  Empty,
  Facts,
  Filters,
  listQuery,
  LoadState,
  Page,
  Section,
  Time,
  useAddress,
} from '../ui/index.js';

type Row = Schema<'ChatNoticeData'>;

const COLUMNS: readonly Column<Row>[] = [
  { name: 'received', title: 'Received', cell: (row) => <Time value={row.received_at} /> },
  { name: 'account', title: 'Account', cell: ({ username }) => username },
  { name: 'kind', title: 'Kind', cell: ({ kind }) => kind },
  { name: 'body', title: 'Original text', cell: ({ body }) => <code>{body}</code>, wide: true },
];

/** What the chat provider reports and the service does not act on: quality, limits, reviews of accounts, calls. */
export default function ProviderNoticesPage() {
  const [address] = useAddress();
  const counts = $api.useQuery('get', '/v6/api/admin/chat-notices/counts');
  const query = $api.useQuery('get', '/v6/api/admin/chat-notices', {
    params: { query: listQuery(address, 'kind') } as never,
  });
  const kinds = counts.data?.data ?? [];
  return (
    <Page
      title="Provider notices"
      about="Notices from the chat provider about quality, limits, account reviews and calls. Kept for 90 days."
    >
      <Section title="Notices by kind">
        <LoadState query={counts}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No notices yet" />
            ) : (
              <Facts
                facts={data.map(({ kind, count, last_at: last }) => [
                  kind,
                  <span key={kind}>
                    <Count value={count} />, the last on <Time value={last} />
                  </span>,
                ])}
              />
            )
          }
        </LoadState>
      </Section>
      <Filters
        filters={[
          { name: 'kind', label: 'Kind', kind: 'choice', options: kinds.map(({ kind }) => [kind, kind] as const) },
        ]}
      />
      <DataTable
        label="Provider notices"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No notices' }}
      />
    </Page>
  );
}
