import { NUMBER_CHECKS } from '../account/numbers-form.js';
import { $api, api, type Schema } from '../api/client.js';
import { COUNTRIES } from '../app/countries.js';
import { useMe } from '../app/session.js';
import {
  CheckField,
  Facts,
  Form,
  Link,
  notify,
  Section,
  SelectField,
  TextField,
  Time,
  useServerForm,
  MadeBy,
  timeZones,
} from '../ui/index.js';
import { accountPath } from './names.js';
import { useRefresh } from './refresh.js';
import { NOBODY, ShutOutFields } from './shut-out.js';
import { isStaffKind, lockedForReseller, OwnPasswordField } from './staff-rights.js';

type Account = Schema<'ManagedAccountAnswer'>;

/** Data, flags and permissions of an account, and the forms that change them. */
export function Overview({ account, isStaff }: { account: Account; isStaff: boolean }) {
  return (
    <>
      <Section title="About">
        <Facts
          facts={[
            ['Username', account.username],
            ['Name', account.name === '' ? null : account.name],
            ['E-mail', account.email],
            ['Mobile number', account.mobile_no],
            ['Country as registered', account.registered_country],
            [
              'Reseller',
              account.parent_username === null ? null : isStaff ? (
                <Link to={accountPath(account.parent_username)}>{account.parent_username}</Link>
              ) : (
                account.parent_username
              ),
            ],
            ['Address of its API', account.api_base_url],
            ['Created by', <MadeBy key="maker" maker={account.created_by} />],
            ['Created', <Time key="created" value={account.created_at} />],
            ['Changed', <Time key="changed" value={account.updated_at} />],
          ]}
        />
      </Section>
      {/* what was saved begins its own form again, and leaves the other as it is being filled in */}
      <Section title="Settings">
        <Settings key={settingsKey(account)} account={account} isStaff={isStaff} />
      </Section>
      <Section title="Permissions">
        <Permissions
          key={JSON.stringify([account.permissions, account.set_by_staff])}
          account={account}
          isStaff={isStaff}
        />
      </Section>
      <Section title="New password">
        <NewPassword account={account} isStaff={isStaff} />
      </Section>
    </>
  );
}

const settingsKey = (account: Account): string => JSON.stringify({ ...account, permissions: null, updated_at: null });

interface Values {
  user_type: string;
  parent_username: string;
  expires_at: string;
  time_zone: string;
  rate_plan: string;
  allowed_routes: string;
  number_check: string;
  country: string;
  strict_numbers: boolean;
  require_token: boolean;
  require_sender: boolean;
  refund_failed: boolean;
  refund_refused: boolean;
  public_lookup: boolean;
  is_active: boolean;
  current_password: string;
  release: boolean;
}

const FLAGS = [
  ['require_token', 'Always require a token', 'Also for reports, templates, and sends that name its username'],
  ['require_sender', 'Calls only from approved sender ids', undefined],
  ['refund_refused', 'Refund messages that the carrier refuses at once', 'The carrier never accepted them'],
  ['refund_failed', 'Refund messages that fail later', undefined],
  ['public_lookup', 'Show its requests in the public lookup', undefined],
  ['strict_numbers', 'Legacy endpoints refuse numbers that cannot be read', undefined],
] as const;
const USER_TYPES = ['client', 'reseller', 'admin', 'super'].map((kind) => [kind, kind] as const);
function Settings({ account, isStaff }: { account: Account; isStaff: boolean }) {
  const isSuper = useMe().role === 'super';
  const plans = $api.useQuery(
    'get',
    '/v6/api/admin/rates',
    { params: { query: { limit: 1000 } } },
    { enabled: isStaff },
  );
  const refresh = useRefresh();
  const present: Values = {
    user_type: account.user_type ?? 'client',
    parent_username: account.parent_username ?? '',
    expires_at: account.expires_at ?? '',
    time_zone: account.time_zone,
    rate_plan: account.rate_plan ?? '',
    allowed_routes: (account.allowed_routes ?? []).join(', '),
    number_check: account.number_check,
    country: account.country ?? '',
    strict_numbers: account.strict_numbers,
    require_token: account.require_token,
    require_sender: account.require_sender,
    refund_failed: account.refund_failed,
    refund_refused: account.refund_refused,
    public_lookup: account.public_lookup,
    is_active: account.is_active,
    current_password: '',
    release: false,
  };
  const form = useServerForm<Values>(present);
  const [kind, chosen] = [account.user_type, form.watch('user_type')];
  const save = async (values: Values) => {
    // only what was changed: who may not change a field may change the others
    const changed = Object.entries(values).filter(
      ([name, value]) => value !== undefined && value !== present[name as keyof Values],
    );
    const { release, ...body }: Record<string, unknown> = Object.fromEntries(changed);
    if (release === true) body['released_fields'] = account.set_by_staff;
    if ('allowed_routes' in body) {
      const names = values.allowed_routes.split(/[\s,]+/).filter((name) => name !== '');
      body['allowed_routes'] = names.length === 0 ? null : names;
    }
    await api.PATCH('/v6/api/admin/accounts/{username}', {
      params: { path: { username: account.username } },
      body: body,
    });
    notify('Account saved');
    await refresh();
  };
  const names = plans.data?.data.map(({ name }) => [name, name] as const) ?? [];
  const field = <Name extends keyof Values>(name: Name) => ({
    ...form.register(name),
    error: form.errorOf(name),
    ...lockedForReseller(account, isStaff, name),
  });
  return (
    <Form needs="manage" form={form} submitLabel="Save the settings" onSubmit={save}>
      {isSuper && <SelectField label="Kind" options={USER_TYPES} {...field('user_type')} />}
      {isStaff && (
        <TextField
          label="Reseller"
          hint="Username of a reseller, admin or super account. Leave empty for none."
          {...field('parent_username')}
        />
      )}
      <TextField
        label="Expires"
        hint="2027-12-31 (through this day) or 2027-12-31 18:00:00, in its time zone. Leave empty for no expiry."
        {...field('expires_at')}
      />
      <TextField
        label="Time zone"
        list="time-zones"
        hint="Such as Asia/Kolkata. Leave empty for the system default."
        {...field('time_zone')}
      />
      <datalist id="time-zones">
        {timeZones().map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {isStaff && (
        <>
          <SelectField
            label="Rate plan"
            options={[
              ['', 'None (default prices)'],
              ...names,
              ...(account.rate_plan === null || names.some(([name]) => name === account.rate_plan)
                ? []
                : [[account.rate_plan, account.rate_plan] as const]),
            ]}
            {...field('rate_plan')}
          />
          <TextField
            label="Allowed routes"
            hint="Names, separated by commas. Leave empty for all."
            {...field('allowed_routes')}
          />
        </>
      )}
      <SelectField label="Country of its numbers" options={COUNTRIES} {...field('country')} />
      <SelectField label="Numbers outside every numbering plan" options={NUMBER_CHECKS} {...field('number_check')} />
      {FLAGS.map(([name, label, hint]) => (
        <CheckField key={name} label={label} hint={hint} {...field(name)} />
      ))}
      {isStaffKind(kind) && <CheckField label="Open" {...field('is_active')} />}
      {(isStaffKind(kind) || isStaffKind(chosen)) && <OwnPasswordField {...field('current_password')} />}
      {isStaff && account.set_by_staff.length > 0 && (
        <CheckField
          label="Let the reseller change settings made by staff"
          hint={`Set by staff: ${account.set_by_staff.join(', ')}`}
          {...form.register('release')}
        />
      )}
    </Form>
  );
}

type Granted = Record<string, boolean>;

function Permissions({ account, isStaff }: { account: Account; isStaff: boolean }) {
  const present: Granted = Object.fromEntries(
    Object.entries(account.permissions).map(([name, isGranted]) => [name, isGranted]),
  );
  const form = useServerForm<Granted & { current_password: never }>(present);
  const refresh = useRefresh();
  const save = async (values: Granted) => {
    // a field that is locked has no value
    const changed = Object.entries<boolean | undefined>(values).filter(
      ([name, value]) => value !== undefined && name in present && value !== present[name],
    );
    const password = isStaffKind(account.user_type)
      ? { current_password: String(values['current_password'] ?? '') }
      : {};
    await api.PATCH('/v6/api/admin/accounts/{username}', {
      params: { path: { username: account.username } },
      body: { permissions: Object.fromEntries(changed), ...password },
    });
    notify('Permissions saved');
    await refresh();
  };
  return (
    <Form needs="manage" form={form} submitLabel="Save the permissions" onSubmit={save}>
      <div className="checks">
        {Object.keys(present).map((name) => (
          <CheckField
            key={name}
            label={name.replaceAll('_', ' ')}
            {...form.register(name)}
            {...lockedForReseller(account, isStaff, `permissions.${name}`)}
          />
        ))}
      </div>
      {isStaffKind(account.user_type) && (
        <OwnPasswordField {...form.register('current_password')} error={form.errorOf('current_password')} />
      )}
    </Form>
  );
}

function NewPassword({ account, isStaff }: { account: Account; isStaff: boolean }) {
  const { username, user_type: kind } = account;
  const form = useServerForm({ password: '', ...NOBODY, current_password: '' });
  const refresh = useRefresh();
  return (
    <Form
      needs="manage"
      form={form}
      submitLabel="Set the password"
      danger
      onSubmit={async ({ current_password, ...body }) => {
        await api.PATCH('/v6/api/admin/accounts/{username}', {
          params: { path: { username } },
          body: { ...body, ...(isStaffKind(kind) ? { current_password } : {}) },
        });
        notify('Password set. All earlier logins have ended.');
        form.reset();
        await refresh();
      }}
    >
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="Ends every login of the account"
        {...form.register('password', { required: true })}
        error={form.errorOf('password')}
        {...lockedForReseller(account, isStaff, 'password')}
      />
      <ShutOutFields whose={username} form={form} />
      {isStaffKind(kind) && (
        <OwnPasswordField {...form.register('current_password')} error={form.errorOf('current_password')} />
      )}
    </Form>
  );
}
