import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useFieldArray } from 'react-hook-form';
import { api, type Schema } from '../api/client.js';
import { Button, Form, notify, SelectField, TextField, useServerForm } from '../ui/index.js';

interface RuleTexts {
  prefixes: string;
  accounts: string;
  categories: string;
  routes: string;
}

interface Values {
  name: string;
  channel: 'sms' | 'unofficial' | 'voice';
  rules: RuleTexts[];
}

const EMPTY: RuleTexts = { prefixes: '', accounts: '', categories: '', routes: '' };
const listOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');
const orNull = (text: string): string[] | null => (listOf(text).length === 0 ? null : listOf(text));

/** The rules of a table, one behind the other. */
export function TableForm({ table }: { table?: Schema<'RoutingTableData'> }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useServerForm<Values>({
    name: table?.name ?? '',
    channel: table?.channel ?? 'sms',
    rules: table?.rules.map(({ prefixes, accounts, categories, routes }) => ({
      prefixes: prefixes.join(', '),
      accounts: accounts?.join(', ') ?? '',
      categories: categories?.join(', ') ?? '',
      routes: routes.join(', '),
    })) ?? [EMPTY],
  });
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'rules' });
  const save = async ({ name, channel, rules }: Values) => {
    await api.PUT('/v6/api/admin/routing/{name}', {
      params: { path: { name } },
      body: {
        channel,
        rules: rules.map((rule) => ({
          prefixes: listOf(rule.prefixes),
          accounts: orNull(rule.accounts),
          categories: orNull(rule.categories),
          routes: listOf(rule.routes),
        })),
      },
    });
    notify('Routing table saved');
    await queries.invalidateQueries();
    if (table === undefined) await navigate({ to: `/routing/${encodeURIComponent(name)}` });
  };
  return (
    <Form
      needs="manage"
      form={form}
      onSubmit={save}
      submitLabel="Save the table"
      actions={
        <Button needs="manage" onClick={() => append(EMPTY)}>
          Add a rule
        </Button>
      }
    >
      {table === undefined && (
        <>
          <TextField label="Name" error={form.errorOf('name')} {...form.register('name', { required: true })} />
          <SelectField
            label="Channel"
            {...form.register('channel')}
            options={[
              ['sms', 'sms'],
              ['unofficial', 'unofficial'],
              ['voice', 'voice'],
            ]}
          />
        </>
      )}
      {fields.map(({ id }, at) => (
        <fieldset key={id} className="rule">
          <legend>Rule {at + 1}</legend>
          <TextField label="Prefixes" hint="Leave empty for every number" {...form.register(`rules.${at}.prefixes`)} />
          <TextField
            label="Routes"
            hint="The first one sends, the others are fallbacks"
            {...form.register(`rules.${at}.routes`)}
          />
          <TextField label="Accounts" hint="Leave empty for all" {...form.register(`rules.${at}.accounts`)} />
          <TextField label="Categories" hint="Leave empty for all" {...form.register(`rules.${at}.categories`)} />
          <Button needs="manage" onClick={() => remove(at)}>
            Remove rule {at + 1}
          </Button>
        </fieldset>
      ))}
    </Form>
  );
}
