import { useState } from 'react';
import { $api, type Schema } from '../api/client.js';
import { Button, CheckField, Dialog, TextField } from '../ui/index.js';
import type { Whose } from './whose.js';

/** Who is removed: a person under the own account, one of its keys, or a key of an account that one manages. */
export interface Leaving {
  kind: 'person' | 'key';
  id: number;
  name: string;
  whose: Whose;
}

/** What the removal takes along. */
export interface Removal {
  revoke: boolean;
  current_password: string;
}

const TEXTS = {
  person: 'The person is logged out within 3 seconds, and the username is free again.',
  key: 'Programs that use the key are refused within 3 seconds. This cannot be undone.',
} as const;

/** Asks before a person or a key is removed, shows what it made, and whether that ends too. */
export function RemovalDialog({
  leaving,
  needsPassword,
  onAnswer,
}: {
  leaving: Leaving;
  /** whether accounts of staff may be closed with it */
  needsPassword: boolean;
  onAnswer: (removal: Removal | null) => void;
}) {
  const [revoke, setRevoke] = useState(false);
  const [password, setPassword] = useState('');
  const { kind, name } = leaving;
  const { made, isPending } = useMadeBy(leaving);
  const verb = kind === 'person' ? 'Delete' : 'Revoke';
  // what a person made ends in any case, but accounts of staff
  const chosen = kind === 'key' || made.some((thing) => thing.kind === 'account' || thing.kind === 'password');
  return (
    <Dialog title={`${verb} ${name}?`} onClose={() => onAnswer(null)}>
      <div className="dialog-text">
        <p>{TEXTS[kind]}</p>
        {isPending && <p>Loading what it created…</p>}
        {made.length > 0 && (
          <>
            <p>{kind === 'person' ? 'These end with it:' : 'These keep working without it:'}</p>
            <MadeList made={made} />
            {chosen && (
              <CheckField
                {...(kind === 'person' ? REVOKE_STAFF : REVOKE_MADE)}
                checked={revoke}
                onChange={(event) => setRevoke(event.currentTarget.checked)}
              />
            )}
            {revoke && needsPassword && (
              <TextField
                label="Your own password"
                type="password"
                autoComplete="current-password"
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
              />
            )}
          </>
        )}
      </div>
      <div className="buttons end">
        <Button data-first onClick={() => onAnswer(null)}>
          Back
        </Button>
        <Button kind="danger" off={isPending} onClick={() => onAnswer({ revoke, current_password: password })}>
          {kind === 'person' ? 'Delete the person' : 'Revoke the key'}
        </Button>
      </div>
    </Dialog>
  );
}

/** The choice whether what was made ends too. */
export const REVOKE_MADE = {
  label: 'Revoke what it created',
  hint: 'Webhooks are disabled, keys revoked, campaigns paused and staff accounts closed. Staff must set new passwords where it set one.',
} as const;

const REVOKE_STAFF = {
  label: 'Accounts of staff too',
  hint: 'They are closed, and staff set new passwords where it set one. Otherwise they go on.',
} as const;

type Made = Schema<'MadeThingData'>;

/** What is made and goes on, in words. */
export const MadeList = ({ made }: { made: readonly Made[] }) => (
  <ul>
    {made.map((thing) => (
      <li key={`${thing.kind}-${String(thing.id)}-${thing.name}`}>{labelOf(thing)}</li>
    ))}
  </ul>
);

/** What is offered to be ended is never what stood there a while ago. */
const FRESH = { gcTime: 0, staleTime: 0 } as const;

function useMadeBy({ kind, id, whose }: Leaving): { made: Made[]; isPending: boolean } {
  const path = { id, username: whose ?? '' };
  const ofPerson = $api.useQuery(
    'get',
    '/v6/api/account/users/{id}/created',
    { params: { path } },
    { enabled: kind === 'person', ...FRESH },
  );
  const ofKey = $api.useQuery(
    'get',
    '/v6/api/account/api-keys/{id}/created',
    { params: { path } },
    { enabled: kind === 'key' && whose === null, ...FRESH },
  );
  const ofTheirKey = $api.useQuery(
    'get',
    '/v6/api/admin/accounts/{username}/api-keys/{id}/created',
    { params: { path } },
    { enabled: kind === 'key' && whose !== null, ...FRESH },
  );
  const { data, isPending } = kind === 'person' ? ofPerson : whose === null ? ofKey : ofTheirKey;
  return { made: data?.data.filter(({ is_active }) => is_active) ?? [], isPending };
}

const LABELS: Record<Made['kind'], (name: string) => string> = {
  webhook: (url) => `Webhook to ${url}`,
  account: (username) => `Account of staff ${username}`,
  password: (username) => `Password of ${username}`,
  key: (name) => `API key ${name}`,
  campaign: (requestId) => `Campaign ${requestId}, not sent yet`,
  session_message: (receiver) => `Scheduled message to ${receiver}`,
  keyword: (word) => `Answer to ${word}`,
  person: (username) => `Password that it gave to ${username}`,
};

const labelOf = ({ kind, name }: Made): string => LABELS[kind](name);
