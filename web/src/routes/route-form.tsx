import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, type Schema } from '../api/client.js';
import { Problem } from '../api/problem.js';
import { CheckField, Form, notify, SelectField, TextArea, TextField, useServerForm } from '../ui/index.js';
import { configOf, type ConfigTexts, type Driver, DRIVERS, REST, textsOf } from './route-config.js';

/** What a form says of a driver is checked by the API. */
type DriverConfig = DistributivePick<Schema<'PutRouteRequest'>, 'driver' | 'config'>;
type DistributivePick<T, K extends keyof T> = T extends unknown ? Pick<T, K> : never;

interface Values {
  name: string;
  channel: string;
  driver: Driver;
  messages_per_second: string;
  binds: string;
  is_default: boolean;
  config: ConfigTexts;
}

const KEPT = '*** keeps the stored secret. Type it again if host, port or login change.';

const isDriver = (word: string): word is Driver => Object.hasOwn(DRIVERS, word);
const countOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** The settings of a route; without one, of a new one. Secrets read `***`, which keeps them. */
export function RouteForm({ route }: { route?: Schema<'RouteAnswerData'> }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const known: Driver = route !== undefined && isDriver(route.driver) ? route.driver : 'smpp';
  const form = useServerForm<Values>({
    name: route?.name ?? '',
    channel: route?.channel ?? 'sms',
    driver: known,
    messages_per_second: String(route?.messages_per_second ?? ''),
    binds: String(route?.binds ?? ''),
    is_default: route?.is_default ?? false,
    config: textsOf(known, route?.config ?? {}),
  });
  const driver = form.watch('driver');
  const save = async (values: Values) => {
    let config: Record<string, unknown>;
    try {
      config = configOf(values.driver, values.config);
    } catch (error) {
      throw new Problem(400, (error as Error).message);
    }
    const { channels, hasBinds } = DRIVERS[values.driver];
    const channel = channels.find((one) => one === values.channel) ?? channels[0] ?? 'sms';
    await api.PUT('/v6/api/admin/routes/{name}', {
      params: { path: { name: values.name } },
      body: {
        channel,
        ...({ driver: values.driver, config } as DriverConfig),
        messages_per_second: countOf(values.messages_per_second),
        binds: hasBinds ? countOf(values.binds) : null,
        is_default: values.is_default,
      },
    });
    notify('Route saved');
    await queries.invalidateQueries();
    if (route === undefined) await navigate({ to: `/routes/${encodeURIComponent(values.name)}` });
  };
  return (
    <Form needs="manage" form={form} onSubmit={save} submitLabel={route === undefined ? 'Create the route' : 'Save'}>
      {route === undefined && (
        <>
          <TextField
            label="Name"
            hint="Letters, digits, dots, dashes"
            error={form.errorOf('name')}
            {...form.register('name', { required: true })}
          />
          <SelectField
            label="Driver"
            error={form.errorOf('driver')}
            {...form.register('driver')}
            options={Object.entries(DRIVERS).map(([name, { label }]) => [name, label] as const)}
          />
          <SelectField
            label="Channel"
            error={form.errorOf('channel')}
            {...form.register('channel')}
            options={DRIVERS[driver].channels.map((word) => [word, word] as const)}
          />
        </>
      )}
      {DRIVERS[driver].fields.map(({ name, label, kind, hint }) => {
        const registered = form.register(`config.${name}`);
        const more = { label, hint, error: form.errorOf(`config.${name}`) };
        if (kind === 'flag') return <CheckField key={name} {...more} {...registered} />;
        if (kind === 'json') return <TextArea key={name} {...more} rows={4} spellCheck={false} {...registered} />;
        return (
          <TextField
            key={name}
            {...more}
            hint={kind === 'secret' && route !== undefined ? KEPT : hint}
            inputMode={kind === 'number' ? 'numeric' : undefined}
            autoComplete="off"
            {...registered}
          />
        );
      })}
      <TextArea
        label="Further settings, as JSON"
        hint="Driver settings without a field above"
        rows={4}
        spellCheck={false}
        {...form.register(`config.${REST}`)}
      />
      <TextField
        label="Messages per second"
        hint="Leave empty for no limit"
        inputMode="numeric"
        error={form.errorOf('messages_per_second')}
        {...form.register('messages_per_second')}
      />
      {DRIVERS[driver].hasBinds && (
        <TextField
          label="Binds"
          hint="Sessions across all workers. Leave empty for one per worker."
          inputMode="numeric"
          error={form.errorOf('binds')}
          {...form.register('binds')}
        />
      )}
      <CheckField label="Default of its channel" {...form.register('is_default')} />
    </Form>
  );
}
