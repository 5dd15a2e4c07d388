import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { $api, api, type Schema } from '../api/client.js';
import {
  type Column,
  Count,
  DataTable,
  Form,
  listQuery,
  Page,
  Section,
  StatusBadge,
  TextField,
  Time,
  useAddress,
  useServerForm,
  MadeBy,
} from '../ui/index.js';

const COLUMNS: readonly Column<Schema<'ListData'>>[] = [
  { name: 'name', title: 'Name', cell: ({ name }) => name, wide: true },
  { name: 'members', title: 'Members', align: 'end', cell: ({ members }) => <Count value={members} /> },
  {
    name: 'state',
    title: 'State',
    cell: ({ frozen }) =>
      frozen ? <StatusBadge status="frozen" tone="off" /> : <StatusBadge status="open" tone="good" />,
  },
  { name: 'maker', title: 'Created by', cell: (row) => <MadeBy maker={row.created_by} />, wide: true },
  { name: 'created', title: 'Created', cell: (row) => <Time value={row.created_at} /> },
];

/** Lists of recipients that are kept. */
export default function ListsPage() {
  const [address] = useAddress();
  const navigate = useNavigate();
  const client = useQueryClient();
  const query = $api.useQuery('get', '/v6/api/lists', { params: { query: listQuery(address) } as never });
  const form = useServerForm<{ name: string }>({ name: '' });
  const create = async ({ name }: { name: string }) => {
    const { data } = await api.POST('/v6/api/lists', { body: { name } });
    void client.invalidateQueries();
    await navigate({ to: `/lists/${String(data?.data.list_id ?? '')}` });
  };
  return (
    <Page title="Lists" about="Saved recipients with their personal values.">
      <Section title="New list">
        <Form needs="manage" form={form} onSubmit={create} submitLabel="Create list">
          <TextField
            label="Name"
            maxLength={100}
            error={form.errorOf('name')}
            {...form.register('name', { required: true })}
          />
        </Form>
      </Section>
      <DataTable
        label="Lists"
        columns={COLUMNS}
        query={query}
        rowKey={(row) => row.list_id}
        rowTo={(row) => `/lists/${String(row.list_id)}`}
        empty={{ title: 'No lists yet' }}
      />
    </Page>
  );
}
