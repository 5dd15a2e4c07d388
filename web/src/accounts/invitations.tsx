import { Link2, LogOut, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api, type Schema } from '../api/client.js';
import { BASE } from '../app/base.js';
import { useMe } from '../app/session.js';
import { Button, confirm, Dialog, Form, notify, SelectField, TextField, useServerForm } from '../ui/index.js';
import { ShownOnce } from './api-keys.js';
import { useChange, useRefresh } from './refresh.js';
import { OwnPasswordField } from './staff-rights.js';
import { inviteTo, linkFor, type Whose } from './whose.js';

type Person = Schema<'UserAnswerData'>;
type MadeLink = Schema<'LinkAnswerData'>;

export const ROLE_NAMES: Readonly<Record<Person['role'], string>> = {
  owner: 'Owner',
  manager: 'Manager',
  sender: 'Sender',
  viewer: 'Viewer',
};

export const ROLES = Object.entries(ROLE_NAMES);

export const ROLE_HINT =
  'An owner does everything. A manager does all but keys, people and security. A sender sends and reads. A viewer reads.';

/** Invites a person by a link, which is sent or shown once. */
export function Invite({ whose }: { whose: Whose }) {
  const [step, setStep] = useState<'closed' | 'form' | MadeLink>('closed');
  const form = useServerForm<{ username: string; email: string; role: Person['role']; current_password: string }>({
    username: '',
    email: '',
    role: 'sender',
    current_password: '',
  });
  const isStaff = useMe().role !== 'user';
  const refresh = useRefresh();
  return (
    <>
      <Button
        needs={whose === null ? 'account' : 'manage'}
        kind="primary"
        icon={UserPlus}
        onClick={() => setStep('form')}
      >
        Invite
      </Button>
      {step === 'form' && (
        <Dialog title="Invite a person" onClose={() => setStep('closed')}>
          <Form
            form={form}
            submitLabel="Invite"
            actions={<Button onClick={() => setStep('closed')}>Back</Button>}
            onSubmit={async (body) => {
              const link = await inviteTo(whose, body);
              form.reset();
              setStep(link);
              await refresh();
            }}
          >
            <TextField label="Username" data-first {...form.register('username')} error={form.errorOf('username')} />
            <TextField
              label="E-mail"
              type="email"
              hint="The link is sent there, if the operator has set up a mail server. Else you hand it over."
              {...form.register('email')}
              error={form.errorOf('email')}
            />
            <SelectField
              label="Role"
              hint={ROLE_HINT}
              options={ROLES}
              {...form.register('role')}
              error={form.errorOf('role')}
            />
            {isStaff && (
              <OwnPasswordField {...form.register('current_password')} error={form.errorOf('current_password')} />
            )}
          </Form>
        </Dialog>
      )}
      {typeof step === 'object' && <Handed link={step} onClose={() => setStep('closed')} />}
    </>
  );
}

/** Makes a link for a person (null: for the login of the account), after a question. */
export function LinkButton({
  whose,
  person,
}: {
  whose: Whose;
  person: Pick<Person, 'id' | 'username' | 'is_invited'> | null;
}) {
  const [step, setStep] = useState<'closed' | 'form' | MadeLink>('closed');
  const form = useServerForm({ current_password: '' });
  const isStaff = useMe().role !== 'user';
  const refresh = useRefresh();
  const name = person?.username ?? whose ?? '';
  const label = person?.is_invited === true ? 'New invitation' : 'Password link';
  return (
    <>
      <Button
        needs={whose === null ? 'account' : 'manage'}
        icon={Link2}
        onClick={() => setStep('form')}
        aria-label={`${label} for ${name}`}
      >
        {label}
      </Button>
      {step === 'form' && (
        <Dialog title={`${label} for ${name}?`} onClose={() => setStep('closed')}>
          <Form
            form={form}
            submitLabel="Make the link"
            actions={<Button onClick={() => setStep('closed')}>Back</Button>}
            onSubmit={async (body) => {
              setStep(await linkFor(whose, person?.id ?? null, body));
              form.reset();
              await refresh();
            }}
          >
            <p>The link sets a password, once. An earlier link of this login ends.</p>
            {isStaff && (
              <OwnPasswordField {...form.register('current_password')} error={form.errorOf('current_password')} />
            )}
          </Form>
        </Dialog>
      )}
      {typeof step === 'object' && <Handed link={step} onClose={() => setStep('closed')} />}
    </>
  );
}

/** The only time that a link is seen, unless it was sent. */
function Handed({ link, onClose }: { link: MadeLink; onClose: () => void }) {
  if (link.link !== null) {
    const address = link.link.startsWith('/') ? location.origin + BASE + link.link : link.link;
    return <ShownOnce title="Hand this link over" secret={address} what="link" onClose={onClose} />;
  }
  return (
    <Dialog title="The link was sent" onClose={onClose}>
      <p className="dialog-text">It went to the e-mail address of the login, and is good until {link.expires_at}.</p>
      <div className="buttons end">
        <Button kind="primary" data-first onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

export function SignOutButton({ person }: { person: Person }) {
  const change = useChange();
  const signOut = async () => {
    const text = `Every session of ${person.username} ends within 3 seconds. Keys stay.`;
    if (!(await confirm({ title: `Sign ${person.username} out?`, text, yes: 'Sign out' }))) return;
    const call = () => api.POST('/v6/api/account/users/{id}/sign-out', { params: { path: { id: person.id } } });
    await change(call, 'Signed out');
  };
  return (
    <Button needs="account" icon={LogOut} onClick={() => void signOut()} aria-label={`Sign out ${person.username}`}>
      Sign out
    </Button>
  );
}

export function WithdrawButton({ person }: { person: Person }) {
  const withdraw = async () => {
    await api.DELETE('/v6/api/account/users/{id}/link', { params: { path: { id: person.id } } });
    notify('Link withdrawn');
    await refresh();
  };
  const refresh = useRefresh();
  if (person.link_expires_at === null) return null;
  return (
    <Button needs="account" onClick={() => void withdraw()} aria-label={`Withdraw link of ${person.username}`}>
      Withdraw link
    </Button>
  );
}
