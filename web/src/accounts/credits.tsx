import { $api, api, type Schema } from '../api/client.js';
import {
  type Column,
  confirm,
  Count,
  DataTable,
  Form,
  formatCount,
  notify,
  RadioField,
  Section,
  SelectField,
  StatusBadge,
  TextField,
  useServerForm,
} from '../ui/index.js';
import { Balances } from './balances.js';
import { Ledger } from './ledger.js';
import { type Balance, balanceLabel, BALANCES } from './names.js';
import { useRefresh } from './refresh.js';

/** Credits of an account for those who manage it: balances, grants, proof and ledger. */
export function Credits({ username }: { username: string }) {
  return (
    <>
      <Section title="Balances">
        <Balances whose={username} />
      </Section>
      <Section title="Grant or take back">
        <Adjust username={username} />
      </Section>
      <Section title="Balance check">
        <Proof username={username} />
      </Section>
      <Section title="Ledger">
        <Ledger whose={username} />
      </Section>
    </>
  );
}

interface Values {
  balance: Balance;
  way: string;
  amount: string;
  note: string;
}

function Adjust({ username }: { username: string }) {
  const form = useServerForm<Values>({ balance: 'gsm_credits', way: 'grant', amount: '', note: '' });
  const refresh = useRefresh();
  const adjust = async ({ balance, way, amount, note }: Values) => {
    const credits = Number(amount);
    if (way === 'take') {
      const isSure = await confirm({
        title: `Take ${formatCount(credits)} credits back?`,
        text: `From the balance ${balanceLabel(balance)} of ${username}.`,
        yes: 'Take them back',
      });
      if (!isSure) return;
    }
    const { data } = await api.POST('/v6/api/admin/accounts/{username}/credits', {
      params: { path: { username } },
      body: { balance, amount: way === 'take' ? -credits : credits, note },
    });
    const { available } = (data as Schema<'AdjustedCreditsAnswer'>).data;
    notify(`${balanceLabel(balance)}: ${formatCount(available)} credits now`);
    form.reset({ balance, way: 'grant', amount: '', note: '' });
    await refresh();
  };
  return (
    <Form needs="manage" form={form} submitLabel="Apply" onSubmit={adjust}>
      <RadioField
        label="Action"
        options={[
          ['grant', 'Grant'],
          ['take', 'Take back'],
        ]}
        {...form.register('way')}
      />
      <SelectField label="Balance" options={BALANCES} {...form.register('balance')} />
      <TextField
        label="Credits"
        type="number"
        min={1}
        step={1}
        {...form.register('amount', { required: true, min: { value: 1, message: 'A whole number from 1' } })}
        error={form.errorOf('amount')}
      />
      <TextField
        label="Note"
        hint="Shown in the ledger, such as an invoice number"
        maxLength={255}
        {...form.register('note')}
        error={form.errorOf('note')}
      />
    </Form>
  );
}

type ProofRow = Schema<'CreditProofAnswer'>;

const PROOF_COLUMNS: readonly Column<ProofRow>[] = [
  { name: 'balance', title: 'Balance', cell: ({ balance }) => balanceLabel(balance) },
  {
    name: 'ok',
    title: 'Check',
    cell: ({ ok }) => (ok ? <StatusBadge status="ok" text="adds up" /> : <StatusBadge status="wrong" tone="bad" />),
  },
  { name: 'stored', title: 'Stored', align: 'end', cell: ({ stored }) => <Count value={stored} /> },
  { name: 'ledger', title: 'Ledger', align: 'end', cell: ({ ledger }) => <Count value={ledger} /> },
  { name: 'charged', title: 'Charged', align: 'end', cell: ({ usage }) => <Count value={usage.charged} /> },
  { name: 'refunded', title: 'Refunded', align: 'end', cell: ({ usage }) => <Count value={usage.refunded} /> },
];

function Proof({ username }: { username: string }) {
  const query = $api.useQuery('get', '/v6/api/admin/accounts/{username}/credits/proof', {
    params: { path: { username } },
  });
  return (
    <DataTable
      label="Balance check"
      columns={PROOF_COLUMNS}
      query={{ ...query, data: query.data?.data }}
      rowKey={({ balance }) => balance}
      empty={{ title: 'No balances' }}
    />
  );
}
