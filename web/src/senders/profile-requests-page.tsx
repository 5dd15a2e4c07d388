import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, LIVE, type Schema } from '../api/client.js';
import {
  Button,
  type Column,
  confirm,
  DataTable,
  Dialog,
  Facts,
  Form,
  LoadState,
  notify,
  notifyFault,
  Page,
  Section,
  SelectField,
  StatusBadge,
  TextField,
  Time,
  useServerForm,
} from '../ui/index.js';

type Row = Schema<'ProfileRequestData'>;
interface Values {
  verified_name: string;
  number: string;
  numberForOTP: string;
  channel: 'official' | 'branded';
}

/** Display names that the account has asked to have verified. */
export default function ProfileRequestsPage() {
  const client = useQueryClient();
  const [shown, setShown] = useState<number | null>(null);
  const query = $api.useQuery('get', '/v6/api/account/profile-request', {}, LIVE);
  const form = useServerForm<Values>({ verified_name: '', number: '', numberForOTP: '', channel: 'official' });
  const ask = async (values: Values) => {
    await api.POST('/v6/api/account/profile-request', { body: values });
    await client.invalidateQueries();
    notify('Requested. It is waiting for approval.');
    form.reset();
  };
  const remove = async ({ id, verified_name: name }: Row) => {
    if (!(await confirm({ title: 'Withdraw this request?', text: name, yes: 'Withdraw' }))) return;
    try {
      await api.DELETE('/v6/api/account/profile-request/{id}', { params: { path: { id } } });
      await client.invalidateQueries();
      notify('Withdrawn');
    } catch (error) {
      notifyFault(error);
    }
  };
  const columns: readonly Column<Row>[] = [
    { name: 'name', title: 'Name', cell: (row) => row.verified_name, wide: true },
    { name: 'channel', title: 'Channel', cell: ({ channel }) => channel },
    { name: 'number', title: 'Number', cell: (row) => row.number ?? '–' },
    { name: 'otp', title: 'Number for the code', cell: (row) => row.numberForOTP || '–' },
    { name: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    {
      name: 'actions',
      title: 'More',
      cell: (row) => (
        <div className="buttons">
          <Button aria-label={`Details of ${row.verified_name}`} onClick={() => setShown(row.id)}>
            Details
          </Button>
          {row.status === 'pending' && (
            <Button needs="manage" aria-label={`Withdraw ${row.verified_name}`} onClick={() => void remove(row)}>
              Withdraw
            </Button>
          )}
        </div>
      ),
    },
  ];
  const rows = { ...query, data: query.data?.data };
  return (
    <Page title="Display names" about="Names that your contacts see, verified by the provider.">
      <Section title="Request display name">
        <Form needs="manage" form={form} onSubmit={ask} submitLabel="Request">
          <TextField
            label="Name"
            maxLength={255}
            error={form.errorOf('verified_name')}
            {...form.register('verified_name', { required: true })}
          />
          <TextField type="tel" label="Business number" error={form.errorOf('number')} {...form.register('number')} />
          <TextField
            type="tel"
            label="Number that gets the code"
            error={form.errorOf('numberForOTP')}
            {...form.register('numberForOTP')}
          />
          <SelectField
            label="Channel"
            options={[
              ['official', 'Official'],
              ['branded', 'Branded'],
            ]}
            {...form.register('channel')}
          />
        </Form>
      </Section>
      <DataTable
        label="Display names"
        columns={columns}
        query={rows}
        rowKey={({ id }) => id}
        empty={{ title: 'No display names yet' }}
      />
      {shown !== null && <Details id={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

function Details({ id, onClose }: { id: number; onClose: () => void }) {
  const query = $api.useQuery('get', '/v6/api/account/profile-request/{id}', { params: { path: { id } } });
  return (
    <Dialog title="Display name" onClose={onClose}>
      <LoadState query={query}>
        {({ data }) => (
          <Facts
            facts={[
              ['Name', data.verified_name],
              ['Status', <StatusBadge key="status" status={data.status} />],
              ['Reason', data.reason],
              ['Requested', <Time key="asked" value={data.created_at} />],
              ['Last change', <Time key="changed" value={data.updated_at} />],
            ]}
          />
        )}
      </LoadState>
      <div className="buttons end">
        <Button data-first onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
