import { useQueryClient } from '@tanstack/react-query';
import { $api, api, type Schema } from '../api/client.js';
import { Problem, problemOf } from '../api/problem.js';
import {
  Button,
  confirm,
  Form,
  LoadState,
  notify,
  notifyFault,
  Section,
  TextArea,
  TextField,
  useServerForm,
} from '../ui/index.js';

type Costs = Schema<'RouteCostsData'>;

/** What the carrier asks for a segment, by prefix. */
export function RouteCosts({ name }: { name: string }) {
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/routes/{name}/costs',
    { params: { path: { name } } },
    { retry: false },
  );
  // that there are none is an answer too
  const hasNone = query.error !== null && problemOf(query.error).status === 404;
  return (
    <Section title="Cost per segment">
      {hasNone ? (
        <CostsForm name={name} costs={null} />
      ) : (
        <LoadState query={query}>
          {({ data }) => <CostsForm key={data.updated_at} name={name} costs={data} />}
        </LoadState>
      )}
    </Section>
  );
}

interface Values {
  currency: string;
  rows: string;
}

const LINE = /^([0-9]*|\*)[\s,;]+([0-9.]+)$/;

/** A line a prefix: `91, 0.0045`; `*` = every number that no other line is for. */
function rowsOf(text: string): Costs['rows'] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line, at) => {
      const [, prefix, cost] = LINE.exec(line) ?? [];
      if (prefix === undefined || cost === undefined)
        throw new Problem(400, `rows: line ${String(at + 1)} is no prefix and cost`);
      return { prefix: prefix === '*' ? '' : prefix, cost };
    });
}

function CostsForm({ name, costs }: { name: string; costs: Costs | null }) {
  const queries = useQueryClient();
  const form = useServerForm<Values>({
    currency: costs?.currency ?? 'EUR',
    rows: costs?.rows.map(({ prefix, cost }) => `${prefix === '' ? '*' : prefix}, ${cost}`).join('\n') ?? '',
  });
  const params = { path: { name } };
  const save = async ({ currency, rows }: Values) => {
    await api.PUT('/v6/api/admin/routes/{name}/costs', { params, body: { currency, rows: rowsOf(rows) } });
    notify('Costs saved');
    await queries.invalidateQueries();
  };
  const remove = async () => {
    const text = 'Recorded costs stay. No more costs are recorded.';
    if (!(await confirm({ title: `Remove the costs of ${name}?`, text, yes: 'Remove them' }))) return;
    try {
      await api.DELETE('/v6/api/admin/routes/{name}/costs', { params });
      notify('Costs removed');
      await queries.resetQueries();
    } catch (error) {
      notifyFault(error);
    }
  };
  return (
    <Form
      needs="manage"
      form={form}
      onSubmit={save}
      submitLabel="Save the costs"
      actions={
        costs !== null && (
          <Button needs="manage" onClick={() => void remove()}>
            Remove
          </Button>
        )
      }
    >
      {costs === null && <p className="muted">No costs yet. Nothing is recorded for this route.</p>}
      <TextField label="Currency" maxLength={3} error={form.errorOf('currency')} {...form.register('currency')} />
      <TextArea
        label="Prefixes and costs"
        hint="One per line, such as 91, 0.0045; * matches every other number"
        rows={8}
        spellCheck={false}
        error={form.errorOf('rows')}
        {...form.register('rows')}
      />
    </Form>
  );
}
