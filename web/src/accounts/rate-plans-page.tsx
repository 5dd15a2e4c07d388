import { useNavigate } from '@tanstack/react-router';
import { $api, type Schema } from '../api/client.js';
import {
  type Column,
  Count,
  DataTable,
  Form,
  listQuery,
  Page,
  Section,
  TextField,
  Time,
  useAddress,
  useServerForm,
} from '../ui/index.js';

type Plan = Schema<'RatePlanHeadData'>;

const COLUMNS: readonly Column<Plan>[] = [
  { name: 'name', title: 'Plan', cell: ({ name }) => name, wide: true },
  { name: 'rates', title: 'Prices', align: 'end', cell: ({ rates }) => <Count value={rates} /> },
  { name: 'revision', title: 'Revision', align: 'end', cell: ({ revision }) => <Count value={revision} /> },
  { name: 'updated', title: 'Changed', cell: ({ updated_at }) => <Time value={updated_at} /> },
];

const planPath = (name: string): string => `/rates/${encodeURIComponent(name)}`;

/** What accounts pay instead of the prices that hold for all. */
export default function RatePlansPage() {
  const [address] = useAddress();
  const navigate = useNavigate();
  const form = useServerForm({ name: '' });
  const query = $api.useQuery('get', '/v6/api/admin/rates', { params: { query: listQuery(address) } });
  return (
    <Page title="Rate plans" about="Prices per segment by channel and prefix, for the accounts on a plan.">
      <DataTable
        label="Rate plans"
        columns={COLUMNS}
        query={query}
        rowKey={({ name }) => name}
        rowTo={({ name }) => planPath(name)}
        empty={{ title: 'No rate plans', text: 'Every account pays the default prices.' }}
      />
      <Section title="New rate plan">
        <Form
          needs="manage"
          form={form}
          submitLabel="Continue to prices"
          onSubmit={({ name }) => navigate({ to: planPath(name.trim()) })}
        >
          <TextField
            label="Name"
            hint="1 to 64 letters, digits, dots, underscores or hyphens"
            {...form.register('name', {
              required: true,
              pattern: {
                value: /^\s*[A-Za-z0-9._-]{1,64}\s*$/,
                message: 'Only letters, digits, dot, underscore, hyphen',
              },
            })}
            error={form.errorOf('name')}
          />
        </Form>
      </Section>
    </Page>
  );
}
