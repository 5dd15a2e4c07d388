import { useNavigate } from '@tanstack/react-router';
import { api, type Schema } from '../api/client.js';
import { COUNTRIES } from '../app/countries.js';
import { useMe } from '../app/session.js';
import { CheckField, Form, notify, Page, Section, SelectField, TextField, useServerForm } from '../ui/index.js';
import { accountPath } from './names.js';
import { useRefresh } from './refresh.js';
import { isStaffKind, OwnPasswordField } from './staff-rights.js';

const EMPTY = {
  username: '',
  firstname: '',
  lastname: '',
  email: '',
  mobile_no: '',
  password: '',
  user_type: 'client',
  parent_username: '',
  expires_at: '',
  time_zone: '',
  country: '',
  is_active: true,
  current_password: '',
};
type Values = typeof EMPTY;

const KINDS = ['client', 'reseller', 'admin', 'super'].map((kind) => [kind, kind] as const);

/** Makes an account; of a reseller a client of its own. */
export default function NewAccountPage() {
  const me = useMe();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const form = useServerForm<Values>(EMPTY);
  const create = async ({ current_password, ...values }: Values) => {
    const proof = isStaffKind(values.user_type) ? { current_password } : {};
    const { data } = await api.POST('/v6/api/admin/accounts', {
      body: { ...values, ...proof } as Schema<'CreateAccountRequest'>,
    });
    const { username } = (data as Schema<'ChangedAccountAnswer'>).data;
    notify(`Account ${username} created`);
    await refresh();
    await navigate({ to: accountPath(username) });
  };
  const field = (name: keyof Values) => ({ ...form.register(name), error: form.errorOf(name) });
  return (
    <Page title="New account" about="It starts with the default permissions and credits.">
      <Section title="Account">
        <Form form={form} submitLabel="Create the account" onSubmit={create}>
          <TextField
            label="Username"
            hint="3 to 64 letters, digits, dots, underscores or hyphens"
            {...field('username')}
          />
          <TextField label="First name" {...field('firstname')} />
          <TextField label="Last name" {...field('lastname')} />
          <TextField label="E-mail" type="email" {...field('email')} />
          <TextField label="Mobile number" type="tel" {...field('mobile_no')} />
          <TextField
            label="Password"
            type="password"
            autoComplete="new-password"
            hint="At least 8 characters, with an upper-case and a lower-case letter, a digit and another character"
            {...field('password')}
          />
          {me.role === 'super' && <SelectField label="Kind" options={KINDS} {...field('user_type')} />}
          {me.pages === 'staff' && (
            <TextField label="Reseller" hint="Username. Leave empty for none." {...field('parent_username')} />
          )}
          <TextField label="Expires" hint="Such as 2027-12-31. Leave empty for no expiry." {...field('expires_at')} />
          <TextField
            label="Time zone"
            hint="Such as Asia/Kolkata. Leave empty for the system default."
            {...field('time_zone')}
          />
          <SelectField
            label="Country of its numbers"
            hint="Not chosen: the country of its time zone"
            options={COUNTRIES}
            {...field('country')}
          />
          <CheckField label="Active from the start" {...field('is_active')} />
          {isStaffKind(form.watch('user_type')) && <OwnPasswordField {...field('current_password')} />}
        </Form>
      </Section>
    </Page>
  );
}
