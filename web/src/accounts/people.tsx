import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api, type Schema } from '../api/client.js';
import { useMe } from '../app/session.js';
import {
  Button,
  CheckField,
  type Column,
  DataTable,
  Dialog,
  Form,
  listQuery,
  notify,
  SelectField,
  StatusBadge,
  TextField,
  Time,
  useAddress,
  useServerForm,
  MadeBy,
} from '../ui/index.js';
import { LinkButton, ROLE_HINT, ROLE_NAMES, ROLES, SignOutButton, WithdrawButton } from './invitations.js';
import { useChange, useRefresh } from './refresh.js';
import { type Leaving, type Removal, RemovalDialog } from './removal.js';
import { OwnPasswordField } from './staff-rights.js';
import { usePeople, type Whose } from './whose.js';

type Person = Schema<'UserAnswerData'>;
type PersonRole = Person['role'];

/** People under an account; its owner changes and removes them. */
export function People({ whose }: { whose: Whose }) {
  const [address] = useAddress();
  const [changed, setChanged] = useState<Person | null>(null);
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const isStaff = useMe().role !== 'user';
  const query = usePeople(whose, listQuery(address));
  const change = useChange();
  const remove = async ({ id }: Leaving, { revoke, current_password }: Removal) => {
    const removal = {
      params: { path: { id }, query: { revoke: revoke ? ('true' as const) : ('false' as const) } },
      body: revoke && isStaff ? { current_password } : {},
    };
    await change(() => api.DELETE('/v6/api/account/users/{id}', removal), 'Person deleted');
  };
  const columns: readonly Column<Person>[] = [
    { name: 'username', title: 'Username', cell: ({ username }) => username },
    { name: 'name', title: 'Name', cell: ({ name }) => name || '–', wide: true },
    { name: 'role', title: 'Role', cell: ({ role }) => ROLE_NAMES[role] },
    { name: 'email', title: 'E-mail', cell: ({ email }) => email ?? '–', wide: true },
    {
      name: 'state',
      title: 'State',
      cell: ({ is_active, is_invited }) => (
        <StatusBadge status={is_invited ? 'invited' : is_active ? 'active' : 'inactive'} />
      ),
    },
    { name: 'maker', title: 'Made by', cell: (row) => <MadeBy maker={row.created_by} />, wide: true },
    { name: 'created', title: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
  ];
  const actions: Column<Person> = {
    name: 'actions',
    title: 'Actions',
    cell: (person) => (
      <span className="buttons">
        <LinkButton whose={null} person={person} />
        <WithdrawButton person={person} />
        {!person.is_invited && <SignOutButton person={person} />}
        <Button onClick={() => setChanged(person)} aria-label={`Change ${person.username}`}>
          Change
        </Button>
        <Button
          kind="danger"
          onClick={() => setLeaving({ kind: 'person', id: person.id, name: person.username, whose: null })}
          aria-label={`Delete ${person.username}`}
        >
          Delete
        </Button>
      </span>
    ),
  };
  const links: Column<Person> = {
    name: 'actions',
    title: 'Actions',
    cell: (person) => <LinkButton whose={whose} person={person} />,
  };
  return (
    <>
      <DataTable
        label="People"
        columns={[...columns, whose === null ? actions : links]}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No people yet', text: 'People log in with a password of their own.' }}
      />
      {changed !== null && <ChangePerson person={changed} onClose={() => setChanged(null)} />}
      {leaving !== null && (
        <RemovalDialog
          leaving={leaving}
          needsPassword={isStaff}
          onAnswer={(removal) => {
            setLeaving(null);
            if (removal !== null) void remove(leaving, removal);
          }}
        />
      )}
    </>
  );
}

function ChangePerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const form = useServerForm({
    firstname: person.firstname,
    lastname: person.lastname,
    email: person.email ?? '',
    role: person.role,
    password: '',
    is_active: person.is_active,
    current_password: '',
  });
  const isStaff = useMe().role !== 'user';
  const refresh = useRefresh();
  return (
    <Dialog title={`Change ${person.username}`} onClose={onClose}>
      <Form
        form={form}
        submitLabel="Save"
        actions={<Button onClick={onClose}>Back</Button>}
        onSubmit={async (body) => {
          await api.PATCH('/v6/api/account/users/{id}', { params: { path: { id: person.id } }, body });
          notify('Person saved');
          onClose();
          await refresh();
        }}
      >
        <PersonFields form={form} />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="Leave empty to keep the password. A new one logs the person out."
          {...form.register('password')}
          error={form.errorOf('password')}
        />
        <CheckField label="May log in" {...form.register('is_active')} />
        {isStaff && (
          <OwnPasswordField {...form.register('current_password')} error={form.errorOf('current_password')} />
        )}
      </Form>
    </Dialog>
  );
}

/** Makes a person under the own account. */
export function NewPerson() {
  const [isOpen, setOpen] = useState(false);
  const form = useServerForm<NewPersonValues>({
    username: '',
    firstname: '',
    lastname: '',
    email: '',
    role: 'manager',
    password: '',
    current_password: '',
  });
  const isStaff = useMe().role !== 'user';
  const refresh = useRefresh();
  return (
    <>
      <Button icon={UserPlus} onClick={() => setOpen(true)}>
        New person
      </Button>
      {isOpen && (
        <Dialog title="New person" onClose={() => setOpen(false)}>
          <Form
            form={form}
            submitLabel="Create the person"
            actions={<Button onClick={() => setOpen(false)}>Back</Button>}
            onSubmit={async (body) => {
              await api.POST('/v6/api/account/users', { body });
              notify('Person created');
              form.reset();
              setOpen(false);
              await refresh();
            }}
          >
            <TextField label="Username" data-first {...form.register('username')} error={form.errorOf('username')} />
            <PersonFields form={form} />
            <TextField
              label="Password"
              type="password"
              autoComplete="new-password"
              {...form.register('password')}
              error={form.errorOf('password')}
            />
            {isStaff && (
              <OwnPasswordField {...form.register('current_password')} error={form.errorOf('current_password')} />
            )}
          </Form>
        </Dialog>
      )}
    </>
  );
}

interface Named {
  firstname: string;
  lastname: string;
  email: string;
  role: PersonRole;
}

interface NewPersonValues extends Named {
  username: string;
  password: string;
  current_password: string;
}

function PersonFields<Values extends Named>({ form: given }: { form: ReturnType<typeof useServerForm<Values>> }) {
  // the fields of a name are the same in both forms
  const form = given as unknown as ReturnType<typeof useServerForm<Named>>;
  return (
    <>
      <TextField label="First name" {...form.register('firstname')} error={form.errorOf('firstname')} />
      <TextField label="Last name" {...form.register('lastname')} error={form.errorOf('lastname')} />
      <TextField label="E-mail" type="email" {...form.register('email')} error={form.errorOf('email')} />
      <SelectField
        label="Role"
        hint={ROLE_HINT}
        options={ROLES}
        {...form.register('role')}
        error={form.errorOf('role')}
      />
    </>
  );
}
