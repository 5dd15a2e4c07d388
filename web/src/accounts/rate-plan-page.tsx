import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useFieldArray } from 'react-hook-form';
import { $api, api, type Schema } from '../api/client.js';
import { problemOf } from '../api/problem.js';
import {
  Button,
  confirm,
  Count,
  Facts,
  Failed,
  Form,
  notify,
  Page,
  Section,
  Time,
  useParam,
  useServerForm,
} from '../ui/index.js';
import { useChange, useRefresh } from './refresh.js';
import './accounts.css';

type Rate = Schema<'RateData'>;
type Plan = Schema<'RatePlanData'>;

const CHANNELS: readonly (readonly [Rate['channel'], string])[] = [
  ['sms', 'SMS'],
  ['unofficial', 'Unofficial chat'],
  ['template', 'Template messages'],
  ['branded', 'Branded campaigns'],
  ['voice', 'Voice'],
];

/** One rate plan: its prices, written as a whole. A name of no plan begins a new one. */
export default function RatePlanPage() {
  const name = useParam('plan');
  const params = { path: { plan: name } };
  const query = $api.useQuery('get', '/v6/api/admin/rates/{plan}', { params }, { retry: false });
  const isNew = query.error !== null && problemOf(query.error).status === 404;
  if (query.error !== null && !isNew)
    return <Failed error={query.error} isBusy={query.isFetching} onRetry={query.refetch} />;
  if (query.data === undefined && !isNew) {
    return (
      <p className="loading" role="status">
        Loading…
      </p>
    );
  }
  const plan = isNew ? null : (query.data?.data ?? null);
  return (
    <Page
      title={plan === null ? `New rate plan ${name}` : `Rate plan ${name}`}
      about="The longest matching prefix sets the price. An empty prefix matches every number; 0 is free."
      actions={plan === null ? undefined : <Remove plan={plan} />}
    >
      {plan !== null && (
        <Section title="About">
          <Facts
            facts={[
              ['Accounts', <Count key="accounts" value={plan.accounts} />],
              ['Revision', String(plan.revision)],
              ['Created', <Time key="created" value={plan.created_at} />],
              ['Changed', <Time key="changed" value={plan.updated_at} />],
            ]}
          />
        </Section>
      )}
      <Section title="Prices">
        <Prices key={plan?.revision ?? 0} name={name} plan={plan} />
      </Section>
    </Page>
  );
}

interface Values {
  rates: { channel: string; prefix: string; credits: string }[];
}

function Prices({ name, plan }: { name: string; plan: Plan | null }) {
  const refresh = useRefresh();
  const form = useServerForm<Values>({
    rates: (plan?.rates ?? []).map(({ channel, prefix, credits_per_segment: credits }) => ({
      channel,
      prefix,
      credits: String(credits),
    })),
  });
  const rows = useFieldArray({ control: form.control, name: 'rates' });
  const save = async ({ rates }: Values) => {
    const body = rates.map(({ channel, prefix, credits }) => ({
      channel: channel as Rate['channel'],
      prefix: prefix.trim(),
      // what is no number goes as it is: the API says which row is wrong
      credits_per_segment: credits.trim() === '' ? (null as unknown as number) : Number(credits),
    }));
    const query = plan === null ? {} : { revision: plan.revision };
    await api.PUT('/v6/api/admin/rates/{plan}', { params: { path: { plan: name }, query }, body });
    notify('Rate plan saved');
    await refresh();
  };
  return (
    <Form
      needs="manage"
      form={form}
      submitLabel={plan === null ? 'Create the plan' : 'Save the prices'}
      onSubmit={save}
      actions={
        <Button needs="manage" icon={Plus} onClick={() => rows.append({ channel: 'sms', prefix: '', credits: '' })}>
          Add a price
        </Button>
      }
    >
      {rows.fields.length === 0 && <p className="muted">No prices yet. Default prices apply.</p>}
      {rows.fields.length > 0 && (
        <div className="table-box" role="region" aria-label="Prices of the plan" tabIndex={-1}>
          <table className="table plain prices">
            <thead>
              <tr>
                <th scope="col">Channel</th>
                <th scope="col">Prefix</th>
                <th scope="col">Credits per segment</th>
                <th scope="col">Actions</th>
              </tr>
            </thead>
            <tbody>
              {rows.fields.map(({ id }, at) => (
                <tr key={id}>
                  <td>
                    <select aria-label={`Channel of price ${String(at + 1)}`} {...form.register(`rates.${at}.channel`)}>
                      {CHANNELS.map(([channel, label]) => (
                        <option key={channel} value={channel}>
                          {label}
                        </option>
                      ))}
                    </select>
                  </td>
                  <td>
                    <input
                      type="text"
                      inputMode="numeric"
                      size={8}
                      aria-label={`Prefix of price ${String(at + 1)}`}
                      {...form.register(`rates.${at}.prefix`)}
                    />
                  </td>
                  <td>
                    <input
                      type="text"
                      inputMode="numeric"
                      size={6}
                      aria-label={`Credits of price ${String(at + 1)}`}
                      {...form.register(`rates.${at}.credits`)}
                    />
                  </td>
                  <td>
                    <Button
                      needs="manage"
                      onClick={() => rows.remove(at)}
                      aria-label={`Remove price ${String(at + 1)}`}
                    >
                      Remove
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {form.errorOf('rates') !== undefined && (
        <div className="fault" role="alert">
          {form.errorOf('rates')}
        </div>
      )}
    </Form>
  );
}

function Remove({ plan: { name, accounts } }: { plan: Plan }) {
  const change = useChange();
  const navigate = useNavigate();
  const remove = async () => {
    const isSure = await confirm({
      title: `Remove the rate plan ${name}?`,
      text: 'Its prices are deleted. This cannot be undone.',
      yes: 'Remove the plan',
    });
    if (!isSure) return;
    const work = () => api.DELETE('/v6/api/admin/rates/{plan}', { params: { path: { plan: name } } });
    if (await change(work, 'Rate plan removed')) await navigate({ to: '/rates' });
  };
  return (
    <Button
      needs="manage"
      kind="danger"
      off={accounts > 0}
      title={accounts > 0 ? 'Accounts use this plan. Give them another one first.' : undefined}
      onClick={() => void remove()}
    >
      Remove
    </Button>
  );
}
