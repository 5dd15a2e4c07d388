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
  StatusBadge,
  TextField,
  Time,
  useAddress,
  useServerForm,
} from '../ui/index.js';

type Row = Schema<'VerificationData'>;
type Count = Schema<'ConversionData'>;

const STATUSES: Readonly<Record<Row['status'], string>> = {
  pending: 'pending',
  approved: 'approved',
  too_many: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
};

/** Codes that the account has sent to telephone numbers, and how many were entered. */
export default function VerificationsPage() {
  const client = useQueryClient();
  const [address] = useAddress();
  const query = $api.useQuery('get', '/v6/api/verifications', { params: { query: listQuery(address) } as never }, LIVE);
  const cancel = async ({ id, to }: Row) => {
    if (
      !(await confirm({
        title: 'Cancel this verification?',
        text: `The code of ${to} is dead then.`,
        yes: 'Cancel it',
      }))
    )
      return;
    try {
      await api.DELETE('/v6/api/verifications/{id}', { params: { path: { id } } });
      await client.invalidateQueries();
      notify('Cancelled');
    } catch (error) {
      notifyFault(error);
    }
  };
  const columns: readonly Column<Row>[] = [
    { name: 'created', title: 'Time', cell: (row) => <Time value={row.created_at} /> },
    { name: 'to', title: 'Number', cell: ({ to }) => to },
    { name: 'channel', title: 'Channel', cell: ({ channels }) => channels.join(', ') },
    { name: 'ref', title: 'Reference', cell: ({ ref }) => ref ?? '–', wide: true },
    { name: 'credits', title: 'Credits', cell: ({ credits }) => credits },
    { name: 'status', title: 'Outcome', cell: ({ status }) => <StatusBadge status={STATUSES[status]} /> },
    {
      name: 'actions',
      title: 'More',
      cell: (row) =>
        row.status === 'pending' && (
          <Button aria-label={`Cancel the verification of ${row.to}`} onClick={() => void cancel(row)}>
            Cancel
          </Button>
        ),
    },
  ];
  return (
    <Page title="Verifications" about="Codes that prove a telephone number, newest first. No page shows a code.">
      <Trial />
      <DataTable
        label="Verifications"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No verifications yet', text: 'Send a code to your own telephone to try it.' }}
      />
      <Conversion />
    </Page>
  );
}

/** Sends a code and checks it, as a program does. */
function Trial() {
  const client = useQueryClient();
  const start = useServerForm({ to: '', app: '' });
  const check = useServerForm({ id: '', code: '' });
  const send = async ({ to, app }: { to: string; app: string }) => {
    const { data } = await api.POST('/v6/api/verifications', { body: { to, ...(app !== '' && { app }) } });
    check.setValue('id', data?.data.id ?? '');
    await client.invalidateQueries();
    notify('The code is on its way');
  };
  const enter = async ({ id, code }: { id: string; code: string }) => {
    const { data } = await api.POST('/v6/api/verifications/{id}/check', { params: { path: { id } }, body: { code } });
    await client.invalidateQueries();
    const checked = data?.data;
    notify(
      checked?.status === 'pending'
        ? `Wrong code, ${checked.attempts_left} attempts left`
        : `Outcome: ${checked?.status ?? ''}`,
    );
  };
  return (
    <Section title="Try it">
      <Form form={start} onSubmit={send} submitLabel="Send a code">
        <TextField
          type="tel"
          label="Number"
          placeholder="+919812345678"
          error={start.errorOf('to')}
          {...start.register('to', { required: true })}
        />
        <TextField
          label="Your name in the text"
          maxLength={30}
          error={start.errorOf('app')}
          {...start.register('app')}
        />
      </Form>
      <Form form={check} onSubmit={enter} submitLabel="Check the code">
        <TextField
          label="Verification"
          placeholder="ver_…"
          error={check.errorOf('id')}
          {...check.register('id', { required: true })}
        />
        <TextField
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          error={check.errorOf('code')}
          {...check.register('code', { required: true })}
        />
      </Form>
    </Section>
  );
}

const COUNTS: readonly Column<Count>[] = [
  { name: 'day', title: 'Day (UTC)', cell: ({ day }) => day },
  { name: 'code', title: 'Country', cell: ({ calling_code: code }) => (code === '' ? 'Unknown' : `+${code}`) },
  { name: 'started', title: 'Started', cell: ({ started }) => started },
  { name: 'approved', title: 'Approved', cell: ({ approved }) => approved },
  { name: 'share', title: 'Conversion', cell: ({ started, approved }) => shareOf(started, approved) },
];

const shareOf = (started: number, approved: number): string =>
  started === 0 ? '–' : `${Math.round((100 * approved) / started)} %`;

function Conversion() {
  const query = $api.useQuery('get', '/v6/api/verifications/conversion', {}, LIVE);
  return (
    <Section title="Conversion">
      <DataTable
        label="Conversion"
        columns={COUNTS}
        query={{ ...query, data: query.data?.data }}
        rowKey={({ day, calling_code: code }) => `${day} ${code}`}
        empty={{ title: 'Nothing in the last 30 days' }}
      />
    </Section>
  );
}
