import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, LIVE, type Schema } from '../api/client.js';
import {
  Button,
  type Column,
  confirm,
  DataTable,
  Dialog,
  Filters,
  Form,
  listQuery,
  notify,
  notifyFault,
  Page,
  Section,
  TextField,
  Time,
  useAddress,
  useServerForm,
} from '../ui/index.js';
import { MessageText } from './inbound-messages-page.js';

type Row = Schema<'StaffInboundMessageData'>;
type Numbered = Schema<'InboundNumberData'>;

/** Texts whose account nobody knows, and the numbers that belong to accounts. */
export default function InboxPage() {
  const [address] = useAddress();
  const [assigned, setAssigned] = useState<Row | null>(null);
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/inbound-messages',
    { params: { query: listQuery(address, 'username', 'from', 'to') } as never },
    LIVE,
  );
  const columns: readonly Column<Row>[] = [
    { name: 'from', title: 'From', cell: ({ from }) => from },
    { name: 'text', title: 'Text', cell: (row) => <MessageText message={row} />, wide: true },
    { name: 'to', title: 'To', cell: ({ to }) => to || '–' },
    { name: 'route', title: 'Route', cell: ({ route }) => route ?? '–' },
    { name: 'received', title: 'Received', cell: (row) => <Time value={row.received_at} /> },
    {
      name: 'assign',
      title: 'Account',
      cell: (row) =>
        row.username ?? (
          <Button needs="manage" aria-label={`Assign the message of ${row.from}`} onClick={() => setAssigned(row)}>
            Assign
          </Button>
        ),
    },
  ];
  return (
    <Page
      title="Inbox of the operator"
      about="Inbound SMS that belong to no account. Enter a username to see those of an account."
    >
      <Filters
        filters={[
          { name: 'username', label: 'Username', kind: 'search' },
          { name: 'from', label: 'From', kind: 'search' },
          { name: 'to', label: 'To', kind: 'search' },
        ]}
      />
      <DataTable
        label="Inbox of the operator"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No inbound messages' }}
      />
      <InboundNumbers />
      {assigned && <Assign message={assigned} onClose={() => setAssigned(null)} />}
    </Page>
  );
}

function Assign({ message, onClose }: { message: Row; onClose: () => void }) {
  const client = useQueryClient();
  const form = useServerForm<{ username: string }>({ username: '' });
  const assign = async (values: { username: string }) => {
    await api.POST('/v6/api/admin/inbound-messages/{id}/assign', {
      params: { path: { id: message.id } },
      body: values,
    });
    await client.invalidateQueries();
    notify(`Assigned to ${values.username}`);
    onClose();
  };
  return (
    <Dialog title={`Assign the message of ${message.from}`} onClose={onClose}>
      <p className="muted">{message.text}</p>
      <Form needs="manage" form={form} onSubmit={assign} submitLabel="Assign">
        <TextField
          label="Username"
          error={form.errorOf('username')}
          {...form.register('username', { required: true })}
        />
      </Form>
    </Dialog>
  );
}

interface NumberValues {
  number: string;
  route: string;
  username: string;
  keyword: string;
}

function InboundNumbers() {
  const client = useQueryClient();
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/inbound-numbers',
    { params: { query: { limit: 1000 } } as never },
    LIVE,
  );
  const form = useServerForm<NumberValues>({ number: '', route: '', username: '', keyword: '' });
  const add = async ({ keyword, ...values }: NumberValues) => {
    await api.POST('/v6/api/admin/inbound-numbers', { body: { ...values, ...(keyword !== '' && { keyword }) } });
    await client.invalidateQueries();
    notify('Number added');
    form.reset();
  };
  const remove = async ({ id, number }: Numbered) => {
    if (!(await confirm({ title: 'Remove this number?', text: number, yes: 'Remove' }))) return;
    try {
      await api.DELETE('/v6/api/admin/inbound-numbers/{id}', { params: { path: { id } } });
      await client.invalidateQueries();
      notify('Number removed');
    } catch (error) {
      notifyFault(error);
    }
  };
  const columns: readonly Column<Numbered>[] = [
    { name: 'number', title: 'Number', cell: ({ number }) => number },
    { name: 'keyword', title: 'Keyword', cell: ({ keyword }) => keyword ?? 'every text' },
    { name: 'route', title: 'Route', cell: ({ route }) => route ?? '–' },
    { name: 'username', title: 'Account', cell: ({ username }) => username },
    { name: 'created', title: 'Added', cell: (row) => <Time value={row.created_at} /> },
    {
      name: 'remove',
      title: 'Remove',
      cell: (row) => (
        <Button needs="manage" aria-label={`Remove ${row.number}`} onClick={() => void remove(row)}>
          Remove
        </Button>
      ),
    },
  ];
  return (
    <Section title="Numbers of accounts">
      <p className="muted">A text to one of these numbers goes to its account.</p>
      <Form needs="manage" form={form} onSubmit={add} submitLabel="Add number">
        <TextField
          label="Number or short code"
          error={form.errorOf('number')}
          {...form.register('number', { required: true })}
        />
        <TextField label="Route" error={form.errorOf('route')} {...form.register('route', { required: true })} />
        <TextField
          label="Account"
          hint="Its username"
          error={form.errorOf('username')}
          {...form.register('username', { required: true })}
        />
        <TextField
          label="Keyword"
          hint="Only texts that begin with it"
          error={form.errorOf('keyword')}
          {...form.register('keyword')}
        />
      </Form>
      <DataTable
        label="Numbers of accounts"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No numbers of accounts' }}
      />
    </Section>
  );
}
