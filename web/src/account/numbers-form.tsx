import { $api, api } from '../api/client.js';
import { COUNTRIES, countryName } from '../app/countries.js';
import { useMay } from '../app/session.js';
import { act, CheckField, Facts, Form, LoadState, Section, SelectField, useServerForm } from '../ui/index.js';

export const NUMBER_CHECKS = [
  ['off', 'Accept'],
  ['warn', 'Accept with a warning'],
  ['refuse', 'Refused'],
] as const;

interface Values {
  country: string;
  number_check: 'off' | 'warn' | 'refuse';
  strict_numbers: boolean;
}

/** How numbers of the account are read and checked (docs/reference/numbers.md). */
export function NumbersSection() {
  const may = useMay('account');
  const query = $api.useQuery('get', '/v6/api/account', {});
  return (
    <Section title="Numbers">
      <LoadState query={query}>
        {({ data }) =>
          may ? (
            <NumbersForm
              key={JSON.stringify([data.country, data.number_check, data.strict_numbers])}
              values={{
                country: data.country ?? '',
                number_check: data.number_check,
                strict_numbers: data.strict_numbers,
              }}
            />
          ) : (
            <Facts
              facts={[
                ['Country', data.country === null ? null : countryName(data.country)],
                [
                  'Numbers outside every numbering plan',
                  NUMBER_CHECKS.find(([mode]) => mode === data.number_check)?.[1] ?? null,
                ],
                ['Legacy endpoints', data.strict_numbers ? 'read numbers strictly' : 'clean numbers'],
              ]}
            />
          )
        }
      </LoadState>
    </Section>
  );
}

function NumbersForm({ values }: { values: Values }) {
  const form = useServerForm<Values>(values);
  const save = async (body: Values) => {
    await api.PATCH('/v6/api/account/numbers', { body });
    await act({ call: () => Promise.resolve(), done: 'Numbers saved' });
  };
  return (
    <Form needs="account" form={form} onSubmit={save} submitLabel="Save">
      <SelectField
        label="Country"
        hint="Used for numbers without a country code, such as 098123 45678. Numbers that start with + already have one."
        options={COUNTRIES}
        error={form.errorOf('country')}
        {...form.register('country')}
      />
      <SelectField
        label="Numbers outside every numbering plan"
        options={NUMBER_CHECKS}
        error={form.errorOf('number_check')}
        {...form.register('number_check')}
      />
      <CheckField
        label="Legacy endpoints refuse numbers that cannot be read"
        hint="Otherwise they drop invalid characters and send to the digits that remain."
        error={form.errorOf('strict_numbers')}
        {...form.register('strict_numbers')}
      />
    </Form>
  );
}
