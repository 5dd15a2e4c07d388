import { useQueryClient } from '@tanstack/react-query';
import { $api, api, LIVE, type Schema } from '../api/client.js';
import {
  Button,
  type Column,
  confirm,
  DataTable,
  Form,
  listQuery,
  notify,
  notifyFault,
  Page,
  Section,
  SelectField,
  StatusBadge,
  TextArea,
  TextField,
  Time,
  useAddress,
  useServerForm,
  MadeBy,
} from '../ui/index.js';

type Row = Schema<'SenderIdData'>;
interface Values {
  sender_id: string;
  channel: 'sms' | 'voice';
  dlt_entity_id: string;
  use_case: string;
}

/** Who messages and calls come from. */
export default function SenderIdsPage() {
  const [address] = useAddress();
  const client = useQueryClient();
  const query = $api.useQuery('get', '/v6/api/sender-ids', { params: { query: listQuery(address) } as never }, LIVE);
  const form = useServerForm<Values>({ sender_id: '', channel: 'sms', dlt_entity_id: '', use_case: '' });
  const register = async ({ dlt_entity_id: entity, use_case: use, ...values }: Values) => {
    await api.POST('/v6/api/sender-ids', {
      body: { ...values, ...(entity !== '' && { dlt_entity_id: entity }), ...(use !== '' && { use_case: use }) },
    });
    await client.invalidateQueries();
    notify('Registered. It is waiting for approval.');
    form.reset();
  };
  const remove = async ({ id, sender_id: name }: Row) => {
    if (!(await confirm({ title: 'Withdraw this sender id?', text: name, yes: 'Withdraw' }))) return;
    try {
      await api.DELETE('/v6/api/sender-ids/{id}', { params: { path: { id } } });
      await client.invalidateQueries();
      notify('Withdrawn');
    } catch (error) {
      notifyFault(error);
    }
  };
  const columns: readonly Column<Row>[] = [
    { name: 'id', title: 'Sender id', cell: (row) => row.sender_id },
    { name: 'channel', title: 'Channel', cell: ({ channel }) => (channel === 'sms' ? 'SMS' : 'Voice') },
    { name: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    { name: 'entity', title: 'DLT entity', cell: (row) => row.dlt_entity_id ?? '–' },
    { name: 'about', title: 'Reason or use', cell: (row) => row.reason ?? row.use_case ?? '–', wide: true },
    { name: 'maker', title: 'Created by', cell: (row) => <MadeBy maker={row.created_by} />, wide: true },
    { name: 'created', title: 'Registered', cell: (row) => <Time value={row.created_at} /> },
    {
      name: 'remove',
      title: 'Withdraw',
      cell: (row) => (
        <Button needs="manage" aria-label={`Withdraw ${row.sender_id}`} onClick={() => void remove(row)}>
          Withdraw
        </Button>
      ),
    },
  ];
  return (
    <Page title="Sender ids" about="Names and numbers shown as the sender of your messages and calls.">
      <Section title="Register sender id">
        <Form needs="manage" form={form} onSubmit={register} submitLabel="Register">
          <TextField
            label="Name or number"
            hint="3 to 11 letters and digits, or 5 to 15 digits; for calls a number."
            error={form.errorOf('sender_id')}
            {...form.register('sender_id', { required: true })}
          />
          <SelectField
            label="Channel"
            options={[
              ['sms', 'SMS'],
              ['voice', 'Voice'],
            ]}
            {...form.register('channel')}
          />
          <TextField
            label="DLT entity id"
            hint="For India, as the operators have registered it."
            error={form.errorOf('dlt_entity_id')}
            {...form.register('dlt_entity_id')}
          />
          <TextArea
            label="What it is used for"
            rows={2}
            maxLength={500}
            error={form.errorOf('use_case')}
            {...form.register('use_case')}
          />
        </Form>
      </Section>
      <DataTable
        label="Sender ids"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No sender ids yet', text: 'Without one, messages use the operator’s sender.' }}
      />
    </Page>
  );
}
