import { $api, api } from '../api/client.js';
import { Form, LoadState, notify, Page, Tabs, TextField, useServerForm } from '../ui/index.js';
import { Balances } from './balances.js';
import { Ledger } from './ledger.js';
import { type Balance, BALANCES } from './names.js';
import { useRefresh } from './refresh.js';

/** The own balances, how they came about, and when to be told of a low one. */
export default function CreditsPage() {
  return (
    <Page title="Credits" about="Your balances and every change to them.">
      <section className="card section" aria-label="Balances">
        <Balances whose={null} />
      </section>
      <Tabs
        label="Parts of the credits"
        tabs={[
          { name: 'ledger', label: 'Ledger', content: () => <Ledger whose={null} /> },
          { name: 'alerts', label: 'Balance alerts', content: () => <Alerts /> },
        ]}
      />
    </Page>
  );
}

type Thresholds = Record<Balance, number | null>;

function Alerts() {
  const query = $api.useQuery('get', '/v6/api/account/balance-alerts', {});
  return <LoadState query={query}>{({ data }) => <AlertsForm present={data as Thresholds} />}</LoadState>;
}

function AlertsForm({ present }: { present: Thresholds }) {
  const refresh = useRefresh();
  const form = useServerForm<Record<Balance, string>>(
    Object.fromEntries(BALANCES.map(([balance]) => [balance, String(present[balance] ?? '')])),
  );
  const save = async (values: Record<Balance, string>) => {
    // what is no number goes as it is: the API says what is wrong with it
    const body = Object.fromEntries(
      Object.entries(values).map(([balance, text]) => [balance, text.trim() === '' ? null : Number(text)]),
    );
    await api.PUT('/v6/api/account/balance-alerts', { body: body as Thresholds });
    notify('Balance alerts saved');
    await refresh();
  };
  return (
    <section className="card section" aria-label="Balance alerts">
      <p className="muted">
        Your webhooks receive the event account.balance.low when a balance falls below this figure. Leave empty for no
        alert.
      </p>
      <Form needs="manage" form={form} submitLabel="Save" onSubmit={save}>
        {BALANCES.map(([balance, label]) => (
          <TextField
            key={balance}
            label={label}
            type="number"
            min={1}
            {...form.register(balance)}
            error={form.errorOf(balance)}
          />
        ))}
      </Form>
    </section>
  );
}
