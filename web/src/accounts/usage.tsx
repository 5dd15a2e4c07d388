import { Download } from 'lucide-react';
import { download, type Schema } from '../api/client.js';
import {
  Button,
  type Column,
  Count,
  DataTable,
  Filters,
  formatBytes,
  Link,
  listQuery,
  notifyFault,
  useAddress,
} from '../ui/index.js';
import { balanceLabel, campaignPath } from './names.js';
import { usageFile, useUsage, type Whose } from './whose.js';

type Row = Schema<'UsageRowAnswer'>;

const GROUPS = [
  ['day', 'Day'],
  ['channel', 'Channel'],
  ['prefix', 'Country code'],
  ['campaign', 'Campaign'],
  ['sender', 'Sender id'],
] as const;

/** What was charged and given back, by a group of one's choice. */
export function Usage({ whose }: { whose: Whose }) {
  const [address] = useAddress();
  const wanted = listQuery(address, 'group', 'from', 'to');
  const query = useUsage(whose, wanted);
  const group = GROUPS.find(([name]) => name === (address['group'] ?? 'day'))?.[1] ?? 'Day';
  const columns: readonly Column<Row>[] = [
    {
      name: 'key',
      title: group,
      cell: ({ key }) =>
        key === '' ? 'none' : address['group'] === 'campaign' ? <Link to={campaignPath(key)}>{key}</Link> : key,
      wide: true,
    },
    { name: 'balance', title: 'Balance', cell: ({ balance }) => balanceLabel(balance) },
    { name: 'recipients', title: 'Recipients', align: 'end', cell: (row) => <Count value={row.recipients_charged} /> },
    { name: 'charged', title: 'Charged', align: 'end', cell: (row) => <Count value={row.credits_charged} /> },
    { name: 'refunded', title: 'Refunded', align: 'end', cell: (row) => <Count value={row.credits_refunded} /> },
    { name: 'net', title: 'Net', align: 'end', cell: (row) => <Count value={row.credits_net} /> },
  ];
  const save = async () => {
    const { cursor: _cursor, limit: _limit, ...range } = wanted;
    try {
      await download(usageFile(whose, range), `usage-${whose ?? 'own'}.csv`);
    } catch (error) {
      notifyFault(error);
    }
  };
  return (
    <>
      <Filters
        filters={[
          { name: 'group', label: 'By', kind: 'choice', options: GROUPS, usual: 'day' },
          { name: 'from', label: 'From', kind: 'date' },
          { name: 'to', label: 'To', kind: 'date' },
        ]}
      />
      <div className="buttons">
        <Button icon={Download} onClick={() => void save()}>
          Export CSV
        </Button>
        {query.data !== undefined && (
          <span className="muted">
            {query.data.from} to {query.data.to} (UTC)
          </span>
        )}
        {query.data?.storage !== undefined && (
          <span className="muted">
            Stored now: {formatBytes(query.data.storage.bytes)} of {formatBytes(query.data.storage.limit)} (uploads,
            lists, audio, templates)
          </span>
        )}
      </div>
      <DataTable
        label="Usage"
        columns={columns}
        query={query}
        rowKey={({ key, balance }) => `${key} ${balance}`}
        empty={{ title: 'Nothing was charged in this period' }}
      />
    </>
  );
}
