import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api, type Schema } from '../api/client.js';
import { useMe } from '../app/session.js';
import {
  Button,
  CheckField,
  type Column,
  confirm,
  DataTable,
  Dialog,
  Form,
  listQuery,
  notify,
  StatusBadge,
  TextField,
  Time,
  useAddress,
  useServerForm,
} from '../ui/index.js';
import { useChange, useRefresh } from './refresh.js';
import { OwnPasswordField } from './staff-rights.js';
import { usePeople, type Whose } from './whose.js';

type Person = Schema<'UserAnswerData'>;

/** People under an account; its owner changes and removes them. */
export function People({ whose }: { whose: Whose }) {
  const [address] = useAddress();
  const [changed, setChanged] = useState<Person | null>(null);
  const query = usePeople(whose, listQuery(address));
  const change = useChange();
  const remove = async ({ id, username }: Person) => {
    const isSure = await confirm({
      title: `Delete ${username}?`,
      text: 'The person is logged out within 3 seconds, and the username is free again.',
      yes: 'Delete the person',
    });
    if (isSure)
      await change(() => api.DELETE('/v6/api/account/users/{id}', { params: { path: { id } } }), 'Person deleted');
  };
  const columns: readonly Column<Person>[] = [
    { name: 'username', title: 'Username', cell: ({ username }) => username },
    { name: 'name', title: 'Name', cell: ({ name }) => name || '–', wide: true },
    { name: 'email', title: 'E-mail', cell: ({ email }) => email ?? '–', wide: true },
    {
      name: 'state',
      title: 'State',
      cell: ({ is_active }) => <StatusBadge status={is_active ? 'active' : 'inactive'} />,
    },
    { name: 'created', title: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
  ];
  const actions: Column<Person> = {
    name: 'actions',
    title: 'Actions',
    cell: (person) => (
      <span className="buttons">
        <Button onClick={() => setChanged(person)} aria-label={`Change ${person.username}`}>
          Change
        </Button>
        <Button kind="danger" onClick={() => void remove(person)} aria-label={`Delete ${person.username}`}>
          Delete
        </Button>
      </span>
    ),
  };
  return (
    <>
      <DataTable
        label="People"
        columns={whose === null ? [...columns, actions] : columns}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'No people yet', text: 'People log in with a password of their own.' }}
      />
      {changed !== null && <ChangePerson person={changed} onClose={() => setChanged(null)} />}
    </>
  );
}

function ChangePerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const form = useServerForm({
    firstname: person.firstname,
    lastname: person.lastname,
    email: person.email ?? '',
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
          hint="Empty: the password stays. A new one logs the person out."
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
  const form = useServerForm({
    username: '',
    firstname: '',
    lastname: '',
    email: '',
    password: '',
    current_password: '',
  });
  const isStaff = useMe().role !== 'user';
  const refresh = useRefresh();
  return (
    <>
      <Button kind="primary" icon={UserPlus} onClick={() => setOpen(true)}>
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
}

function PersonFields<Values extends Named>({ form: given }: { form: ReturnType<typeof useServerForm<Values>> }) {
  // the fields of a name are the same in both forms
  const form = given as unknown as ReturnType<typeof useServerForm<Named>>;
  return (
    <>
      <TextField label="First name" {...form.register('firstname')} error={form.errorOf('firstname')} />
      <TextField label="Last name" {...form.register('lastname')} error={form.errorOf('lastname')} />
      <TextField label="E-mail" type="email" {...form.register('email')} error={form.errorOf('email')} />
    </>
  );
}
