import { $api, api, type Schema } from '../api/client.js';
import { countryName } from '../app/countries.js';
import {
  Button,
  confirm,
  Count,
  Facts,
  Form,
  LoadState,
  notify,
  Section,
  SelectField,
  TextField,
  Time,
  useServerForm,
} from '../ui/index.js';
import { useChange, useRefresh } from './refresh.js';

type Guard = Schema<'GuardData'>;
type Terms = Schema<'GuardTermsData'>;
type Limit = Record<string, number | null | undefined>;

const KINDS = [
  ['sms', 'SMS'],
  ['chat', 'Chat'],
  ['voice', 'Calls'],
] as const;
const PERIODS = [
  ['per_second', 'a second'],
  ['per_minute', 'a minute'],
  ['per_day', 'a day'],
] as const;
const NUMBERS = [
  ['credits_per_day', 'Credits a day', undefined],
  ['max_price', 'Credits of one recipient', undefined],
  ['new_prefixes_per_day', 'New prefixes a day', 'A prefix is a number without its last four digits'],
  ['calls_at_once', 'Calls at once', 'Accepted and not yet ended'],
  ['burst_numbers', 'Numbers of a new prefix in its first hour', 'More freeze the prefix for an hour'],
  ['sequential_numbers', 'Numbers next to each other in an hour', 'More freeze their prefix for an hour'],
  ['conversion_percent', 'Percent of verifications that must succeed', 'Fewer freeze the prefix for an hour'],
] as const;
const REASONS: Readonly<Record<string, string>> = {
  burst: 'many numbers of a new prefix',
  sequence: 'numbers in a row',
  conversion: 'verifications that are not finished',
};

/** Why a prefix is frozen, in words. */
export const freezeReason = (reason: string): string => REASONS[reason] ?? reason;

const limitOf = (terms: Terms, kind: string, period: string): number | null =>
  ((terms.limits as Record<string, Limit>)[kind] ?? {})[period] ?? null;

function limitName(name: string): string {
  const [kind, period] = name.split('.');
  const words = [...KINDS, ...PERIODS].find(([known]) => known === kind);
  if (period !== undefined) return `${words?.[1] ?? ''} ${PERIODS.find(([known]) => known === period)?.[1] ?? ''}`;
  return NUMBERS.find(([known]) => known === name)?.[1] ?? name;
}

/** What an account may send to, what is left of its limits, and which prefixes are frozen. */
export function GuardView({ guard: { terms, bounds, frozen, bounded_by_reseller: isBounded } }: { guard: Guard }) {
  return (
    <>
      {isBounded && <p className="card notice">The reseller’s own limits hold for this account too.</p>}
      {terms === null ? (
        <p>This account has no limits of its own.</p>
      ) : (
        <>
          <Section title="Destinations">
            <Facts
              facts={[
                [
                  'Countries',
                  terms.countries === null ? 'every country' : terms.countries.map(countryName).join(', ') || 'none',
                ],
                ['Further prefixes', terms.prefixes.map((prefix) => `+${prefix}`).join(', ') || 'none'],
                [
                  'Premium-rate, satellite and shared-cost numbers',
                  terms.special_prefixes.map((prefix) => `+${prefix}`).join(', ') || 'none',
                ],
              ]}
            />
          </Section>
          <Section title="Limits">
            <Facts
              facts={[
                ...bounds.map(
                  ({ name, limit, left }) =>
                    [
                      limitName(name),
                      <span key={name}>
                        <Count value={limit} />, <Count value={left} /> left
                      </span>,
                    ] as const,
                ),
                ['Credits of one recipient', terms.max_price ?? 'no limit'],
                ['Calls at once', terms.calls_at_once ?? 'no limit'],
              ]}
            />
          </Section>
        </>
      )}
      {frozen.length > 0 && (
        <Section title="Frozen">
          <ul>
            {frozen.map(({ prefix, reason, until }) => (
              <li key={prefix}>
                +{prefix}…: {freezeReason(reason)}, until <Time value={until} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** The terms of an account; staff change them. */
export function AccountGuard({ username, isStaff }: { username: string; isStaff: boolean }) {
  const query = $api.useQuery('get', '/v6/api/admin/accounts/{username}/guard', { params: { path: { username } } });
  return (
    <LoadState query={query}>
      {({ data }) => (
        <>
          <GuardView guard={data} />
          {isStaff && <ChangeTerms key={JSON.stringify(data.terms)} username={username} terms={data.terms} />}
        </>
      )}
    </LoadState>
  );
}

type Values = Record<string, string>;

const EVERY = [
  ['every', 'Every country'],
  ['some', 'Only these countries and prefixes'],
] as const;
const shown = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value);
const listed = (text: string | undefined): string[] => (text ?? '').split(/[\s,+]+/).filter((entry) => entry !== '');

function valuesOf(terms: Terms | null): Values {
  const limits = KINDS.flatMap(([kind]) =>
    PERIODS.map(
      ([period]) => [`${kind}_${period}`, terms === null ? '' : shown(limitOf(terms, kind, period))] as const,
    ),
  );
  return {
    every: terms === null || terms.countries === null ? 'every' : 'some',
    countries: (terms?.countries ?? []).join(', '),
    prefixes: (terms?.prefixes ?? []).join(', '),
    special_prefixes: (terms?.special_prefixes ?? []).join(', '),
    ...Object.fromEntries(limits),
    ...Object.fromEntries(NUMBERS.map(([name]) => [name, shown(terms?.[name])])),
  };
}

function bodyOf(values: Values): Schema<'ChangeGuardBody'> {
  const number = (name: string): number | null => {
    const text = (values[name] ?? '').trim();
    // what is no number goes as it is: the API refuses it, while a null would remove the limit
    return text === '' ? null : /^[0-9]+$/.test(text) ? Number(text) : (text as never);
  };
  const limits = KINDS.map(([kind]) => [
    kind,
    Object.fromEntries(PERIODS.map(([period]) => [period, number(`${kind}_${period}`)])),
  ]);
  return {
    countries: values['every'] === 'every' ? null : listed(values['countries']?.toUpperCase()),
    prefixes: listed(values['prefixes']),
    special_prefixes: listed(values['special_prefixes']),
    limits: Object.fromEntries(limits) as Record<string, never>,
    ...Object.fromEntries(NUMBERS.map(([name]) => [name, number(name)])),
  };
}

function ChangeTerms({ username, terms }: { username: string; terms: Terms | null }) {
  const form = useServerForm<Values>(valuesOf(terms));
  const refresh = useRefresh();
  const change = useChange();
  const patch = (body: Schema<'ChangeGuardBody'>) =>
    api.PATCH('/v6/api/admin/accounts/{username}/guard', { params: { path: { username } }, body });
  const save = async (values: Values) => {
    await patch(bodyOf(values));
    notify('Guard saved');
    await refresh();
  };
  const preset = async (name: 'open' | 'strict') => {
    const isSure = await confirm({
      title: name === 'open' ? `Lift all limits of ${username}?` : `Give ${username} the limits of a new account?`,
      text: name === 'open' ? 'It may send anything, anywhere.' : 'What it has now is replaced.',
      yes: name === 'open' ? 'Lift all limits' : 'Set the strict limits',
    });
    if (isSure) await change(() => patch({ preset: name }), 'Guard saved');
  };
  const field = (name: string) => ({ ...form.register(name), error: form.errorOf(name) });
  return (
    <Section
      title="Change"
      actions={
        <>
          <Button onClick={() => void preset('strict')}>Strict limits</Button>
          {terms !== null && <Button onClick={() => void preset('open')}>Lift all limits</Button>}
        </>
      }
    >
      <Form form={form} submitLabel="Save the guard" onSubmit={save}>
        <SelectField label="Destinations" options={EVERY} {...field('every')} />
        <TextField label="Countries" hint="Codes of two letters, separated by commas" {...field('countries')} />
        <TextField
          label="Further prefixes"
          hint="Digits with the calling code, separated by commas"
          {...field('prefixes')}
        />
        <TextField
          label="Premium-rate, satellite and shared-cost prefixes"
          hint="Such as 8816. Leave empty for none."
          {...field('special_prefixes')}
        />
        {KINDS.flatMap(([kind, title]) =>
          PERIODS.map(([period, words]) => (
            <TextField
              key={`${kind}_${period}`}
              label={`${title} ${words}`}
              inputMode="numeric"
              hint="Leave empty for no limit"
              {...field(`${kind}_${period}`)}
            />
          )),
        )}
        {NUMBERS.map(([name, label, hint]) => (
          <TextField
            key={name}
            label={label}
            inputMode="numeric"
            hint={hint ?? 'Leave empty for no limit'}
            {...field(name)}
          />
        ))}
      </Form>
    </Section>
  );
}
